// What a verification after a crash has read and proven, as a block of the text report. Pure.
#pragma once

#include <string>

#include "sim/results.hpp"

namespace reports {

// Empty if it was a run.
std::string durability_text(const sim::Results& results);

}  // namespace reports
