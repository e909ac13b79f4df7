// A verification of power cuts, judged by what the files prove: what was found, what was missed and why, and what was blamed wrongly.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/finding.hpp"
#include "sim/rehearsal/crash_explanation.hpp"
#include "sim/rehearsal/crash_rehearsal.hpp"
#include "sim/results.hpp"

namespace sim {

// What a verification says about the files that a power cut left.
struct CrashVerdict {
    Outcome outcome = Outcome::passed;
    std::string reason;  // if not passed
    std::vector<Finding> findings;
    DurabilityResult durability;
};

// Takes the files of the cut. `promises`: of a ledger outside of the device; null: there is none. Throws what prevents a verification from
// starting: RefusedError if no file is left.
[[nodiscard]] CrashVerdict verify_cut(const CrashPlan& plan, ums::PowerCut& power, const Promises* promises = nullptr);

struct CrashTally {
    std::uint64_t cuts = 0;
    std::uint64_t damaged = 0;                               // something that was promised is gone
    std::uint64_t provable = 0;                              // of these, those that the files prove
    std::uint64_t found = 0;                                 // of those, those with a finding
    std::uint64_t blamed = 0;                                // findings where the files prove nothing, whether there is damage or not
    std::array<std::uint64_t, kMissReasonCount> unproven{};  // damaged, and not provable

    void add(const CrashTally& other);
};

struct CutJudgement {
    CrashTally tally;     // of this cut
    std::string text;     // the cut, and what was found
    std::string problem;  // provable and not found, blamed wrongly, or unexplained; otherwise empty
};

// Takes the files of the cut if `knowledge` is the files; with the ledger copies of them are judged. Not both at once.
[[nodiscard]] CutJudgement judge_cut(const CrashPlan& plan, CrashState& state, Knowledge knowledge = Knowledge::files);

}  // namespace sim
