#include "sim/results.hpp"

#include "ums/base/assert.hpp"

namespace sim {

std::string_view name_of(Phase phase) {
    switch (phase) {
        case Phase::create: return "create";
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
