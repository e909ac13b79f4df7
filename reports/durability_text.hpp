// What a verification after a crash has read and proved, and what it took to continue, as blocks of the text report. Pure.
#pragma once

#include <string>

#include "sim/results.hpp"

namespace reports {

// Empty for a run.
std::string durability_text(const sim::Results& results);
// For a run with a ledger; otherwise empty.
std::string promising_text(const sim::Results& results);
// Empty if nothing was taken over from an earlier incarnation.
std::string resume_text(const sim::Results& results);

}  // namespace reports
