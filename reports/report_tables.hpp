// The tables of the text report. Pure; each is a block of complete lines, empty if there is nothing to say.
#pragma once

#include <string>

#include "reports/verdict.hpp"
#include "sim/results.hpp"

namespace reports {

// Cycles of the same phase are summed up.
std::string phases_table(const sim::Results& results);
std::string users_table(const sim::Results& results);
// One line for each file: what is known about it at the end. `verdict`: of these results.
std::string files_table(const sim::Results& results, const Verdict& verdict);
// One table for each file: the latencies of each kind of request.
std::string latency_tables(const sim::Results& results);
// Without waits of idle tasks; longest total first.
std::string waits_table(const sim::Results& results);
std::string schedulers_table(const sim::Results& results);
// Requests that came late.
std::string warnings_table(const sim::Results& results);
// The limits of --fail-on.
std::string thresholds_table(const sim::Results& results);
// Neighboring pages of a file with the same kind of finding share a line. Warnings are not included.
std::string findings_table(const sim::Results& results);

}  // namespace reports
