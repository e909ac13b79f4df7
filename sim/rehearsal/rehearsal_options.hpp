// The run of a rehearsal, drawn from its seed.
#pragma once

#include <cstdint>

#include "sim/options.hpp"

namespace sim {

// Everything that a real run has, but little of it: one or two MB, a few hundred milliseconds of virtual time.
[[nodiscard]] Options rehearsal_options(std::uint64_t seed);

// Adds backups, most of them with restores, in place of any that the seed has drawn.
void add_backups(Options& options, std::uint64_t seed);

}  // namespace sim
