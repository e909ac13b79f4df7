// What the user sees at the end of a run: the verdict, the final summaries, what was done, what was found, what the figures mean, and the
// verdict again, because a terminal shows the end. Pure; at most 100 columns, except for the lines of the final summaries, which are as
// long as SQLIOSim's.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "sim/results.hpp"

namespace reports {

inline constexpr std::size_t kReportColumns = 80;
// Findings listed one by one, and the first of each other kind; the rest are counted.
inline constexpr std::size_t kFindingsListed = 20;
// Schedulers listed one by one; more of them share one line.
inline constexpr std::size_t kSchedulersListed = 8;
inline constexpr std::size_t kWaitsListed = 8;

std::string text_report(const sim::Results& results);

// The line that ends a run, as in SQLIOSim, or a verification.
std::string_view completion_text(const sim::Results& results);

// The first and the last lines of the report: PASS, FAIL or INCOMPLETE, why, and what to do next.
std::string outcome_text(const sim::Results& results);

// One sentence that marks a rehearsal; `faults`: Results::rehearsal.
std::string rehearsal_notice(std::string_view faults);

}  // namespace reports
