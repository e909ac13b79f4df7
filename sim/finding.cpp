#include "sim/finding.hpp"

#include "ums/base/assert.hpp"

namespace sim {

std::string_view name_of(FindingKind kind) {
    switch (kind) {
        case FindingKind::checksum: return "checksum";
        case FindingKind::wrong_page: return "wrong page";
        case FindingKind::old_version: return "old version";
        case FindingKind::never_written: return "never written";
        case FindingKind::short_transfer: return "short transfer";
        case FindingKind::io_error: return "I/O error";
    }
    UMS_ASSERT(false && "unknown finding kind");
}

}  // namespace sim
