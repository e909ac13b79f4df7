#include "reports/finding_text.hpp"

#include <fmt/format.h>

#include "reports/text.hpp"
#include "ums/base/assert.hpp"

namespace reports {

namespace {

// Of a log what came back is a block; nothing about pages is known. Null: the same as of a data file.
const char* log_detail(sim::FindingKind kind) {
    switch (kind) {
        case sim::FindingKind::checksum: return "a damaged block";
        case sim::FindingKind::wrong_page: return "another block";
        case sim::FindingKind::old_version: return "an older block";
        case sim::FindingKind::never_written: return "no block, one was written";
        default: return nullptr;
    }
}

}  // namespace

std::string finding_detail(const sim::Finding& finding) {
    if (const char* detail = finding.is_log ? log_detail(finding.kind) : nullptr) return detail;
    const char* verb = finding.is_write ? "write" : "read";
    switch (finding.kind) {
        case sim::FindingKind::checksum:
            return fmt::format("stored {:08x}, calculated {:08x}", finding.received_checksum, finding.calculated_checksum);
        case sim::FindingKind::wrong_page:
            return fmt::format("holds page {} of file {}", finding.received_page_id, finding.received_file_id);
        case sim::FindingKind::old_version:
            return fmt::format("version {} came back, {} was written", finding.received_version, finding.expected_version);
        case sim::FindingKind::never_written:
            if (finding.expected_version == 0) return fmt::format("holds version {}, nothing was written", finding.received_version);
            return fmt::format("nothing of ours, version {} was written", finding.expected_version);
        case sim::FindingKind::short_transfer: return fmt::format("{}: fewer bytes than asked for", verb);
        case sim::FindingKind::io_error:
            if (finding.error_text.empty()) return fmt::format("{}: error {}", verb, finding.error_code);
            return fmt::format("{}: {} ({})", verb, printable(finding.error_text), finding.error_code);
    }
    UMS_ASSERT(false && "unknown finding kind");
}

std::string finding_place(const sim::Finding& finding) {
    if (finding.is_log) return fmt::format("offset {:#x}", finding.offset_bytes);
    return fmt::format("page {} (offset {:#x})", finding.page_id, finding.offset_bytes);
}

std::string finding_sentence(const sim::Finding& finding) {
    if (!finding.description.empty()) return finding.description;
    return fmt::format("{}: {}.", sim::name_of(finding.kind), finding_detail(finding));
}

}  // namespace reports
