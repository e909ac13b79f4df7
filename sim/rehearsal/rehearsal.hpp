// One rehearsal: a complete run, with all users, in virtual time on a simulated storage that goes wrong on purpose, and the comparison of
// what was injected with what was found. A pure function of its arguments; takes a few milliseconds. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/rehearsal/fault_matching.hpp"
#include "sim/rehearsal/fault_plan.hpp"
#include "sim/results.hpp"

namespace sim {

struct RehearsalReport {
    MatchResult match;
    std::vector<InjectedFault> faults;
    std::vector<Finding> findings;
    std::vector<std::string> log;  // messages of the run
    Outcome outcome = Outcome::passed;
    std::uint64_t trace_hash = 0;  // of every request, its place and its time: the same for the same seed
    std::uint64_t request_count = 0;

    [[nodiscard]] bool is_good() const { return match.problems.empty(); }
};

// The faults for a rehearsal of one class: rate, place and time are drawn from the seed. Sometimes there is a second fault, of any class.
[[nodiscard]] std::vector<FaultPlan> draw_fault_plans(FindingKind kind, std::uint64_t seed);

// Throws std::bad_alloc if memory runs out.
[[nodiscard]] RehearsalReport rehearse(std::uint64_t seed, const std::vector<FaultPlan>& plans);

}  // namespace sim
