#include "reports/finding_text.hpp"

#include <fmt/format.h>

#include "reports/text.hpp"
#include "ums/base/assert.hpp"
#include "ums/base/printable.hpp"

namespace reports {

std::string finding_detail(const sim::Finding& finding) {
    const sim::ImageComparison& comparison = or_empty(finding.comparison);
    const sim::ExpectedIdentity& expected = or_empty(finding.expected);
    const sim::ReceivedIdentity& received = or_empty(finding.received);
    const sim::RequestFailure& failure = or_empty(finding.failure);
    using Kind = sim::FindingKind;
    const std::string_view verb = sim::operation_of(finding);
    switch (finding.kind) {
        case Kind::stale_read:
        case Kind::lost_write:
        case Kind::reverted_page:
        case Kind::torn_page:
        case Kind::future_version:
            // Of a file that is too short, or of a region by its sums: no single page is known.
            if (!finding.expected && !finding.received) return fmt::format("{} affected from here on", size_text(finding.place.size_bytes));
            return fmt::format("version {} came back, {} was written", received.version, expected.version);
        case Kind::misdirected_write:
        case Kind::misdirected_read:
            if (!finding.other) return fmt::format("holds page {} of file {}", received.page_id, received.file_id);
            return fmt::format("{} page {} of file {}", received.page_id == finding.place.page_id ? "its image is in" : "holds",
                               finding.other->page_id, finding.other->file_id);
        case Kind::zeroed_page: return fmt::format("zeros, version {} was written", expected.version);
        case Kind::bytes_not_read: return fmt::format("{} bytes were not filled", comparison.not_read_bytes);
        case Kind::bit_corruption:
            if (expected.version == 0) return "not zeros, nothing was written";
            return fmt::format("{} wrong bits in {} bytes", comparison.wrong_bits, comparison.wrong_bytes);
        case Kind::foreign_page:
            if (expected.version == 0) return "foreign data, nothing was written";
            return fmt::format("foreign data, version {} was written", expected.version);
        case Kind::short_transfer: return fmt::format("{}: fewer bytes than asked for", verb);
        case Kind::io_error:
            if (failure.error_text.empty()) return fmt::format("{}: error {}", verb, failure.error_code);
            return fmt::format("{}: {} ({})", verb, ums::printable(failure.error_text), failure.error_code);
        case Kind::stalled_io: return fmt::format("{}: {} s", verb, failure.duration_us / 1'000'000);
        case Kind::log_gap: return "an acknowledged block is not there";
        case Kind::log_block_damaged:
            return fmt::format("stored {:08x}, calculated {:08x}", received.checksum, received.calculated_checksum);
        case Kind::log_stale_block: return "an older block came back";
        case Kind::wal_violation: return fmt::format("version {} is not in the log", expected.version);
    }
    UMS_ASSERT(false && "unknown finding kind");
}

std::string finding_place(const sim::Finding& finding) {
    if (finding.request.of_file != sim::FileRequest::none) return std::string(sim::operation_of(finding));
    if (finding.place.is_log) return fmt::format("offset {:#x}", finding.place.offset_bytes);
    return fmt::format("page {} (offset {:#x})", finding.place.page_id, finding.place.offset_bytes);
}

std::string finding_sentence(const sim::Finding& finding) {
    if (!finding.description.empty()) return finding.description;
    return fmt::format("{}: {}.", sim::title_of(finding.kind), finding_detail(finding));
}

}  // namespace reports
