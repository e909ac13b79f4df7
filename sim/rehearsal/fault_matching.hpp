// Compares what was injected with what the program found. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/finding.hpp"
#include "sim/rehearsal/injected_fault.hpp"

namespace sim {

struct FaultTally {
    std::uint64_t injected = 0;
    std::uint64_t exposed = 0;  // the program was given wrong data
    std::uint64_t detected = 0;
    std::uint64_t classified_right = 0;
    std::uint64_t classified_wrong = 0;
    std::uint64_t missed = 0;
    std::uint64_t false_alarms = 0;  // findings of this kind that no exposed fault explains
};

using FaultTallies = std::array<FaultTally, kFindingKindCount>;  // by FindingKind

struct MatchResult {
    FaultTallies tallies{};
    std::vector<std::string> problems;  // a sentence for each fault that was missed or misclassified, and for each false alarm
};

// Every exposed fault must have exactly one finding of the expected kind. Whether it is transient or persistent, whether it is a warning or
// a failure, and the other place of a misdirected transfer must be right, too. A finding explains only one fault.
[[nodiscard]] MatchResult match_faults(const std::vector<InjectedFault>& faults, const std::vector<Finding>& findings);

// Whether one of them is more than a warning: then the run must fail.
[[nodiscard]] bool has_failure(const std::vector<Finding>& findings);

void add_tallies(FaultTallies& sum, const FaultTallies& more);
[[nodiscard]] std::string describe(const InjectedFault& fault);
[[nodiscard]] std::string describe(const Finding& finding);

}  // namespace sim
