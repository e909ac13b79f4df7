#include "reports/finding_text.hpp"

#include <fmt/format.h>

#include "reports/text.hpp"
#include "ums/base/assert.hpp"

namespace reports {

std::string finding_detail(const sim::Finding& finding) {
    using Kind = sim::FindingKind;
    const char* verb = finding.is_write ? "write" : "read";
    switch (finding.kind) {
        case Kind::stale_read:
        case Kind::lost_write:
        case Kind::reverted_page:
        case Kind::torn_page:
        case Kind::future_version:
            return fmt::format("version {} came back, {} was written", finding.received_version, finding.expected_version);
        case Kind::misdirected_write:
        case Kind::misdirected_read:
            if (!finding.other) return fmt::format("holds page {} of file {}", finding.received_page_id, finding.received_file_id);
            return fmt::format("{} page {} of file {}", finding.received_page_id == finding.page_id ? "its image is in" : "holds",
                               finding.other->page_id, finding.other->file_id);
        case Kind::zeroed_page: return fmt::format("zeros, version {} was written", finding.expected_version);
        case Kind::bytes_not_read: return fmt::format("{} bytes were not filled", finding.not_read_bytes);
        case Kind::bit_corruption:
            if (finding.expected_version == 0) return "not zeros, nothing was written";
            return fmt::format("{} wrong bits in {} bytes", finding.wrong_bits, finding.wrong_bytes);
        case Kind::foreign_page:
            if (finding.expected_version == 0) return "foreign data, nothing was written";
            return fmt::format("foreign data, version {} was written", finding.expected_version);
        case Kind::short_transfer: return fmt::format("{}: fewer bytes than asked for", verb);
        case Kind::io_error:
            if (finding.error_text.empty()) return fmt::format("{}: error {}", verb, finding.error_code);
            return fmt::format("{}: {} ({})", verb, printable(finding.error_text), finding.error_code);
        case Kind::stalled_io: return fmt::format("{}: {} s", verb, finding.duration_us / 1'000'000);
        case Kind::log_gap: return "an acknowledged block is not there";
        case Kind::log_block_damaged:
            return fmt::format("stored {:08x}, calculated {:08x}", finding.received_checksum, finding.calculated_checksum);
        case Kind::log_stale_block: return "an older block came back";
        case Kind::wal_violation: return fmt::format("version {} is not in the log", finding.expected_version);
    }
    UMS_ASSERT(false && "unknown finding kind");
}

std::string finding_place(const sim::Finding& finding) {
    if (finding.is_log) return fmt::format("offset {:#x}", finding.offset_bytes);
    return fmt::format("page {} (offset {:#x})", finding.page_id, finding.offset_bytes);
}

std::string finding_sentence(const sim::Finding& finding) {
    if (!finding.description.empty()) return finding.description;
    return fmt::format("{}: {}.", sim::title_of(finding.kind), finding_detail(finding));
}

}  // namespace reports
