// What a verification says about the files that a power cut left. A pure function of its arguments.
#pragma once

#include <string>
#include <vector>

#include "sim/finding.hpp"
#include "sim/rehearsal/crash_rehearsal.hpp"
#include "sim/results.hpp"

namespace sim {

struct CrashVerdict {
    Outcome outcome = Outcome::passed;
    std::string reason;  // if not passed
    std::vector<Finding> findings;
    DurabilityResult durability;
};

// Takes the files of the cut. `promises`: of a ledger outside of the device; null: there is none. Throws what prevents a verification from
// starting: RefusedError if no file is left.
[[nodiscard]] CrashVerdict verify_cut(const CrashPlan& plan, ums::PowerCut& power, const Promises* promises = nullptr);

}  // namespace sim
