#include "reports/finding_text.hpp"

#include <fmt/format.h>

#include "reports/text.hpp"
#include "ums/base/assert.hpp"

namespace reports {

std::string finding_detail(const sim::Finding& finding) {
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

std::string finding_sentence(const sim::Finding& finding) {
    if (!finding.description.empty()) return finding.description;
    return fmt::format("{}: {}.", sim::name_of(finding.kind), finding_detail(finding));
}

}  // namespace reports
