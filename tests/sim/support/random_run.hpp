// Options drawn from a seed, within the ranges that config allows, for runs that are to find deadlocks and false alarms.
#pragma once

#include <cstdint>
#include <string>

#include "sim/options.hpp"

namespace sim::testing {

// `in_virtual_time`: long runs are cheap, and a task that never waits would stop the clock.
[[nodiscard]] Options random_options(std::uint64_t seed, const std::string& folder, bool in_virtual_time);

// How many runs a hunt makes: IOPROOF_HUNT_RUNS, or the usual number.
[[nodiscard]] std::uint64_t hunt_runs(std::uint64_t usual);
// In a long hunt, prints the run to standard error, so that a run that aborts or hangs is known.
void announce(const Options& options);

// On one line, for people.
[[nodiscard]] std::string summary_of(const Options& options);

}  // namespace sim::testing
