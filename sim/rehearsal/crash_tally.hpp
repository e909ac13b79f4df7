// Counts the verifications of power cuts, compared with what the files prove: what was found, what was missed and why, and what was blamed
// wrongly.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/finding.hpp"
#include "sim/options.hpp"
#include "sim/rehearsal/crash_explanation.hpp"
#include "sim/rehearsal/crash_rehearsal.hpp"
#include "sim/rehearsal/injected_fault.hpp"
#include "sim/results.hpp"
#include "ums/io/power_cut.hpp"

namespace sim {

// What a verification reports about the files that a power cut left.
struct CrashVerdict {
    Outcome outcome = Outcome::passed;
    std::string reason;  // if not passed
    std::vector<Finding> findings;
    std::vector<InjectedFault> faults;  // that were made for the verification
    DurabilityResult durability;
};

// Consumes the files of the cut. `promises`: from a ledger outside the device; null: there is none. Throws if the verification cannot
// start: RefusedError if no file is left. `faults`: what cannot be read.
[[nodiscard]] CrashVerdict verify_cut(const CrashPlan& plan, ums::PowerCut& power, const Promises* promises = nullptr,
                                      const std::vector<FaultPlan>& faults = {});

// How a verification must end.
struct DueEnd {
    bool may_be_refused = false;
    // If it finds nothing; empty: it may have passed, or have had nothing to verify.
    std::optional<Outcome> outcome;
};

// Half a sentence if it did not end so; otherwise empty. `verdict`: nothing if it was refused.
[[nodiscard]] std::string wrong_end(const std::optional<CrashVerdict>& verdict, const DueEnd& due);

// Half a sentence for each thing that is wrong with what a verification found while parts of the files could not be read: it must report
// each of these, find whatever the rest proves, and nothing else. A part of a log may hide what proves the rest; pages hide only
// themselves, and whether the sums of their regions agree.
[[nodiscard]] std::vector<std::string> problems_if_unreadable(const Options& options, const CrashExplanation& explanation,
                                                              const std::vector<ums::LostWrite>& lost, const CrashVerdict& verdict);

struct CrashTally {
    std::uint64_t cuts = 0;
    std::uint64_t damaged = 0;                               // something that was promised is gone
    std::uint64_t provable = 0;                              // of the damaged cuts, those whose files prove it
    std::uint64_t found = 0;                                 // of the provable ones, those with a finding
    std::uint64_t blamed = 0;                                // those with findings although the files prove nothing, with damage or without
    std::array<std::uint64_t, kMissReasonCount> unproven{};  // damaged, but not provable

    void add(const CrashTally& other);
};

struct CutJudgement {
    CrashTally tally;     // of this cut
    std::string text;     // the cut, and what was found
    std::string problem;  // provable but not found, blamed wrongly, or unexplained; otherwise empty
    // Nothing was found, and nothing is wrong that only an exception of the rules hides: a run may continue.
    bool is_intact = false;
};

// Every finding must be what the files prove, by its place and its kind, and every proof must have its finding. A sixteenth of the cuts is
// verified a second time while parts of the files cannot be read, see problems_if_unreadable().
// Consumes the files of the cut if `knowledge` is the files; with the ledger, it judges copies of them. Not for both at the same time.
[[nodiscard]] CutJudgement judge_cut(const CrashPlan& plan, CrashState& state, Knowledge knowledge = Knowledge::files);

}  // namespace sim
