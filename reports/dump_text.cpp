#include "reports/dump_text.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "reports/dump_headers.hpp"
#include "reports/dump_image.hpp"
#include "reports/finding_text.hpp"
#include "reports/text.hpp"
#include "reports/time_text.hpp"
#include "sim/limits.hpp"
#include "sim/page/log_layout.hpp"
#include "sim/page/page_layout.hpp"
#include "ums/base/printable.hpp"

namespace reports {
namespace {

constexpr std::size_t kColumns = 100;
constexpr std::size_t kNameColumns = 18;

using Kind = sim::FindingKind;

bool is_of_log(const sim::Finding& finding) {
    if (finding.kind == Kind::log_gap || finding.kind == Kind::log_block_damaged || finding.kind == Kind::log_stale_block) return true;
    std::uint32_t magic = 0;
    const auto& image = finding.evidence.expected_image.empty() ? finding.evidence.image : finding.evidence.expected_image;
    if (image.size() >= sizeof(sim::LogBlockHeader)) std::memcpy(&magic, image.data() + offsetof(sim::LogBlockHeader, magic), sizeof magic);
    return magic == sim::kLogMagic;
}

HeaderKind header_kind(const sim::Finding& finding) {
    if (!is_of_log(finding)) return HeaderKind::page;
    return finding.place.role == sim::FileRole::backup_chain ? HeaderKind::backup_chunk : HeaderKind::log_block;
}

std::string section(std::string_view title, const std::string& text) {
    if (text.empty()) return {};
    return fmt::format("\n{}\n{}\n{}", title, std::string(title.size(), '-'), text);
}

std::string indented(std::string_view text, std::size_t indent) {
    std::string result;
    const std::string lines = wrapped(ums::printable(text), kColumns - indent, 0);
    for (std::size_t begin = 0; begin < lines.size();) {
        const std::size_t end = lines.find('\n', begin) + 1;
        result += std::string(indent, ' ') + lines.substr(begin, end - begin);
        begin = end;
    }
    return result;
}

std::string fact(std::string_view name, std::string_view value) {
    std::string text = indented(value, kNameColumns + 4);
    return text.replace(0, kNameColumns + 4, fmt::format("  {:{}}", name, kNameColumns + 2));
}

std::string offset_text(std::uint64_t offset_bytes) { return fmt::format("{} (0x{:x})", count_text(offset_bytes), offset_bytes); }

std::string verdict(const sim::Finding& finding) {
    std::string title(sim::title_of(finding.kind));
    std::transform(title.begin(), title.end(), title.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    std::string text = fmt::format("{}, {}{}\n\n", title, persistence_text(finding.transient), finding.is_warning ? " (a warning)" : "");
    text += indented(finding_sentence(finding), 0);
    if (!finding.reasoning.empty()) {
        text += "\nWhy this and nothing else:\n";
        for (const std::string& reason : finding.reasoning) text += indented(reason, 4).replace(2, 1, "-");
    }
    const KindText kind = kind_text(finding);
    text += "\nWhat it means:\n" + indented(kind.meaning, 2) + "\nWhat to do:\n" + indented(kind.advice, 2);
    if (finding.repaired) text += "\nThe page has been rewritten, so that the run could continue.\n";
    return text;
}

std::string places(const sim::Finding& finding) {
    const sim::ImageComparison& comparison = or_empty(finding.comparison);
    std::string text = fact("file", fmt::format("{} (file {})", finding.place.path, finding.place.file_id));
    text += fact("operation", std::string(sim::operation_of(finding)));
    if (finding.request.of_file != sim::FileRequest::none) return text + fact("place", "the file as a whole");
    if (!finding.place.is_log && !is_of_log(finding)) text += fact("page", offset_text(finding.place.page_id));
    text += fact("offset in the file", offset_text(finding.place.offset_bytes));
    text += fact("size", fmt::format("{} bytes", count_text(finding.place.size_bytes)));
    if (finding.place.device) {
        text +=
            fact("on the device", fmt::format("{}, byte {}, sector {} of 512 bytes", finding.place.device->device,
                                              offset_text(finding.place.device->offset_bytes), finding.place.device->offset_bytes / 512));
    } else {
        text += fact("on the device", "not known here (the file system does not report it)");
    }
    if (comparison.wrong_bytes > 0 || comparison.first_wrong_byte > 0)
        text += fact("first wrong byte", fmt::format("0x{:x} of the page, {} in the file", comparison.first_wrong_byte,
                                                     offset_text(finding.place.offset_bytes + comparison.first_wrong_byte)));
    if (finding.other) {
        const std::string& path = finding.other->path;
        const std::string file =
            path.empty() ? fmt::format("file {}", finding.other->file_id) : fmt::format("{} (file {})", path, finding.other->file_id);
        text += fact("the other page",
                     fmt::format("page {} of {}, offset {}, version {}", finding.other->page_id, file,
                                 offset_text(std::uint64_t{finding.other->page_id} * sim::kPageBytes), finding.other->version));
    }
    return text;
}

// When the image was made that should have come back, just before its write was posted. Empty if it is not known.
std::string write_time(const sim::Finding& finding) {
    const std::vector<std::byte>& image = finding.evidence.expected_image;
    sim::PageHeader header{};
    if (image.size() < sizeof header || !finding.evidence.is_write_time_known || is_of_log(finding)) return {};
    std::memcpy(&header, image.data(), sizeof header);
    return fact("written", fmt::format("{} (version {})", utc_iso_text(header.write_utc_us), header.version));
}

std::string times(const sim::Finding& finding) {
    std::string text = fact("UTC", utc_iso_text(finding.moment.utc_us));
    text += fact("local", local_iso_text(finding.moment.utc_us));
    text += fact("since the start", fmt::format("{}.{:03} s", count_text(finding.moment.tick_ms / 1000), finding.moment.tick_ms % 1000));
    text += fact("found by", fmt::format("{} on logical CPU {}, phase {}", finding.moment.user, finding.moment.cpu, finding.moment.phase));
    if (or_empty(finding.failure).duration_us > 0) text += fact("the request took", duration_text(or_empty(finding.failure).duration_us));
    return text + write_time(finding);
}

std::string bit_text(const sim::Finding& finding) {
    const sim::ImageComparison& comparison = or_empty(finding.comparison);
    constexpr std::size_t kShown = 24;
    std::string text = fmt::format("{} in {}", count_text(comparison.wrong_bits), counted(comparison.wrong_bytes, "byte"));
    if (comparison.wrong_bit_positions.empty()) return text;
    text += "; byte.bit (bit 0 is the lowest):";
    for (std::size_t i = 0; i < std::min(kShown, comparison.wrong_bit_positions.size()); ++i) {
        text += fmt::format(" 0x{:x}.{}", comparison.wrong_bit_positions[i] / 8, comparison.wrong_bit_positions[i] % 8);
    }
    return text + (comparison.wrong_bits > kShown ? " ..." : "");
}

std::string comparison(const sim::Finding& finding) {
    const sim::ImageComparison& comparison = or_empty(finding.comparison);
    if (finding.evidence.image.empty() && finding.evidence.expected_image.empty()) return {};
    constexpr auto kForm = "  {:20} {:>24} {:>24}\n";
    const auto row = [&](const char* name, const std::string& expected, const std::string& received) {
        return fmt::format(kForm, name, expected, received);
    };
    const auto checksum = [](std::uint32_t value) { return fmt::format("0x{:08x} {:>12}", value, value); };
    const auto received = [&](std::uint32_t value) { return finding.received ? checksum(value) : std::string("-"); };
    const std::uint32_t expected_checksum = or_empty(finding.expected).checksum;
    std::string text = row("", "expected", "received");
    text += row("checksum", expected_checksum == 0 ? "-" : checksum(expected_checksum), received(or_empty(finding.received).checksum));
    text += row("calculated checksum", "", received(or_empty(finding.received).calculated_checksum));
    if (!is_of_log(finding)) {
        const std::string expected_version = finding.expected ? count_text(finding.expected->version) : "-";
        text += row("version", expected_version, count_text(or_empty(finding.received).version));
        text += row("file id", std::to_string(finding.place.file_id), std::to_string(or_empty(finding.received).file_id));
        text += row("page id", std::to_string(finding.place.page_id), std::to_string(or_empty(finding.received).page_id));
    }
    text += row("LSN", lsn_text(or_empty(finding.expected).lsn), lsn_text(or_empty(finding.received).lsn));
    if (comparison.wrong_bits > 0) text += fact("wrong bits", bit_text(finding));
    if (comparison.shift_bytes != 0)
        text += fact("moved", fmt::format("the expected bytes came, shifted by {} bytes {}", std::abs(comparison.shift_bytes),
                                          comparison.shift_bytes > 0 ? "towards the end" : "towards the beginning"));
    if (comparison.not_read_bytes > 0) text += fact("not filled", fmt::format("{} bytes", count_text(comparison.not_read_bytes)));
    return text;
}

std::string error_facts(const sim::Finding& finding) {
    const sim::RequestFailure& failure = or_empty(finding.failure);
    if (failure.error_code == 0) return {};
    return fact("errno", std::to_string(failure.error_code)) + fact("text", failure.error_text) +
           fact("tries", std::to_string(finding.reads));
}

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

// What the re-reads returned.
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

// The finding may be about a later one.
constexpr std::string_view kRereadNote =
    "\"The same\" and \"another\" compare with the first wrong image that came back, which need not be the one below.";

std::string rereads(const sim::Finding& finding) {
    std::string table = reread_table(finding);
    const bool has_other = std::any_of(finding.rereads.begin(), finding.rereads.end(),
                                       [](const sim::Reread& reread) { return reread.result == sim::RereadResult::other_image; });
    if (has_other) table += "\n" + indented(kRereadNote, 2);
    if (!table.empty() || finding.reads <= 1) return table;
    return indented(fmt::format("It was read or tried {} times in all.", finding.reads), 2);
}

// Fields of the written header that could not be determined: where the recreated image has them, it repeats what came back.
std::vector<std::string_view> unknown_fields(const sim::Finding& finding) {
    if (finding.evidence.expected_image.empty() || finding.evidence.is_write_time_known) return {};
    std::vector<std::string_view> fields{"write_utc_us"};
    if (or_empty(finding.expected).lsn == 0) fields.emplace_back("lsn");
    if (or_empty(finding.expected).checksum == 0) fields.emplace_back("checksum");
    return fields;
}

std::string header_table(const sim::Finding& finding) {
    const std::vector<std::string_view> unknown = unknown_fields(finding);
    std::string text = header_comparison(finding.evidence.expected_image, finding.evidence.image, header_kind(finding), unknown);
    if (unknown.empty()) return text;
    return text + indented(
                      "A \"-\" under \"written\" is not known. Below, the image that was written has there what was read, and so have its "
                      "stamps (the last 16 bytes of each sector), which repeat the time.",
                      2);
}

constexpr std::string_view kHistoryNote =
    "Offsets are bytes in the file, versions and LSNs (virtual log file:block:slot) those in the header of the first page of a request, as "
    "it was written or as it came back. Requests that were still outstanding are not listed. \"reread\" and \"repair\" are requests of the "
    "diagnosis itself.";

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

// "Bulk Update User 12" becomes "Bulk Update 12".
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

// The operations on the page, block or range that is wrong.
std::string page_history_table(const sim::Finding& finding) {
    if (finding.evidence.page_history.empty()) return {};
    std::string text = head("LSN");
    for (const sim::HistoryEntry& entry : finding.evidence.page_history) {
        // The header that was examined belongs to the request's first page; nothing is known about the others.
        const bool is_first = entry.offset_bytes == finding.place.offset_bytes;
        text += line(entry, is_first ? version_text(entry) : "-", is_first ? lsn_text(entry.lsn) : "-");
    }
    return text;
}

// The last operations on all files.
std::string file_history_table(const sim::Finding& finding) {
    if (finding.evidence.file_history.empty()) return {};
    std::string text = head("file");
    for (const sim::HistoryEntry& entry : finding.evidence.file_history)
        text += line(entry, version_text(entry), std::to_string(entry.file_id));
    return text;
}

}  // namespace

std::string dump_text(const sim::Finding& finding, std::string_view version, const std::vector<DumpFact>& run) {
    std::string facts_of_run;
    for (const DumpFact& each : run) facts_of_run += fact(each.name, each.text);
    std::string text = fmt::format("ioproof {}: finding {}\n{}\n\n", version, finding.number, std::string(kColumns, '='));
    text += verdict(finding);
    text += section("Where", places(finding));
    text += section("When", times(finding));
    text += section("Run", facts_of_run);
    text += section("Error", error_facts(finding));
    text += section("Expected and received", comparison(finding));
    text += section("Read again", rereads(finding));
    text += section("Sector map", sector_map(finding));
    text += section("Header", header_table(finding));
    text += section("Differing bytes", byte_differences(finding.evidence.expected_image, finding.evidence.image));
    const std::string page_history = page_history_table(finding);
    text += section("Last operations on this place", page_history.empty() ? "" : page_history + "\n" + indented(kHistoryNote, 2));
    text += section("Last operations on all files", file_history_table(finding));
    text += section("The image that was written", hex_image(finding.evidence.expected_image));
    text += section("The image that was read", hex_image(finding.evidence.image));
    return text;
}

}  // namespace reports
