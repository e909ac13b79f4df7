// What a verification after a crash has read and proven, and what it took to continue, as blocks of the text report. Pure.
#pragma once

#include <string>

#include "sim/results.hpp"

namespace reports {

// Empty if it was a run.
std::string durability_text(const sim::Results& results);
// Of a run with a ledger; else empty.
std::string promising_text(const sim::Results& results);
// Empty if nothing was taken over from an earlier incarnation of the run.
std::string resume_text(const sim::Results& results);

}  // namespace reports
