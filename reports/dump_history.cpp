#include "reports/dump_history.hpp"

#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "reports/dump_headers.hpp"
#include "reports/text.hpp"
#include "reports/time_text.hpp"
#include "ums/base/printable.hpp"

namespace reports {

namespace {

// time, duration, CPU, user, operation, offset, bytes, version, LSN or file, result
constexpr auto kRowForm = "{:15} {:>6} {:>3} {:14} {:6} {:>12} {:>8} {:>7} {:>9} {}\n";
constexpr std::size_t kUserColumns = 14;

const char* operation_text(const sim::HistoryEntry& entry) {
    if (entry.is_write) return entry.is_diagnosis ? "repair" : "write";
    return entry.is_diagnosis ? "reread" : "read";
}

std::string result_text(const sim::HistoryEntry& entry) {
    if (entry.error_code != 0) return fmt::format("errno {}", entry.error_code);
    if (entry.transferred_bytes != entry.size_bytes) return fmt::format("{} B", entry.transferred_bytes);
    return "ok";
}

// "Bulk Update User 12" is "Bulk Update 12" here.
std::string user_text(std::string name) {
    constexpr std::string_view kWord = " User";
    if (const std::size_t at = name.find(kWord); at != std::string::npos) name.erase(at, kWord.size());
    return keep_end(ums::printable(name), kUserColumns);
}

std::string line(const sim::HistoryEntry& entry, const std::string& version, const std::string& lsn_or_file) {
    return fmt::format(kRowForm, utc_time_text(entry.utc_us), duration_text(entry.duration_us), entry.cpu, user_text(entry.user),
                       operation_text(entry), fmt::format("0x{:x}", entry.offset_bytes), entry.size_bytes, version, lsn_or_file,
                       result_text(entry));
}

std::string head(const char* last_column) {
    return fmt::format(kRowForm, "posted (UTC)", "took", "CPU", "user", "what", "offset", "bytes", "version", last_column, "result");
}

std::string version_text(const sim::HistoryEntry& entry) { return entry.version == 0 ? "-" : std::to_string(entry.version); }

const char* result_words(sim::RereadResult result) {
    switch (result) {
        case sim::RereadResult::right: return "the right page";
        case sim::RereadResult::same_image: return "the same wrong image";
        case sim::RereadResult::other_image: return "another wrong image";
        case sim::RereadResult::short_transfer: return "too few bytes";
        case sim::RereadResult::io_error: return "an error";
    }
    return "";
}

}  // namespace

std::string page_history_table(const sim::Finding& finding) {
    if (finding.evidence.page_history.empty()) return {};
    std::string text = head("LSN");
    for (const sim::HistoryEntry& entry : finding.evidence.page_history) {
        // The header that was looked at is the first page's; of others in the request nothing is known.
        const bool is_first = entry.offset_bytes == finding.place.offset_bytes;
        text += line(entry, is_first ? version_text(entry) : "-", is_first ? lsn_text(entry.lsn) : "-");
    }
    return text;
}

std::string file_history_table(const sim::Finding& finding) {
    if (finding.evidence.file_history.empty()) return {};
    std::string text = head("file");
    for (const sim::HistoryEntry& entry : finding.evidence.file_history)
        text += line(entry, version_text(entry), std::to_string(entry.file_id));
    return text;
}

std::string reread_table(const sim::Finding& finding) {
    if (finding.rereads.empty()) return {};
    std::string text =
        fmt::format("  {:>2}  {:>9}  {:28} {:22} {:>10}  {}\n", "#", "after", "how", "what came back", "version", "checksum");
    for (const sim::Reread& reread : finding.rereads) {
        std::string what = result_words(reread.result);
        if (reread.error_code != 0) what += fmt::format(" ({})", reread.error_code);
        const bool has_image = reread.result != sim::RereadResult::io_error && reread.result != sim::RereadResult::short_transfer;
        text += fmt::format("  {:>2}  {:>9}  {:28} {:22} {:>10}  {}\n", reread.attempt, duration_text(reread.after_us),
                            reread.through_new_file ? "flushed, dropped, reopened" : "as before", what,
                            has_image ? std::to_string(reread.version) : "-", has_image ? fmt::format("0x{:08x}", reread.checksum) : "-");
    }
    return text;
}

}  // namespace reports
