// Names of enumerators as people see them.
#include "sim/finding.hpp"
#include "sim/results.hpp"
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

std::string_view name_of(Phase phase) {
    switch (phase) {
        case Phase::create: return "create files";
        case Phase::initial_update: return "initial update";
        case Phase::initial_checkpoint: return "initial checkpoint";
        case Phase::main_run: return "main run";
        case Phase::final_checkpoint: return "final checkpoint";
        case Phase::final_audit: return "final audit";
        case Phase::summary: return "summary";
    }
    UMS_ASSERT(false && "unknown phase");
}

}  // namespace sim
