// What a rehearsal showed, as text of 80 columns. Pure.
#pragma once

#include <string>

#include "sim/rehearsal/fault_matching.hpp"

namespace cli {

// A line for each class that was injected or reported, and a sum.
[[nodiscard]] std::string tallies_text(const sim::FaultTallies& tallies);

}  // namespace cli
