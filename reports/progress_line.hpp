// What a run shows while it works. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "reports/progress_meter.hpp"
#include "sim/results.hpp"

namespace reports {

// One line for a terminal, exactly `width` columns, without line end: phase, cycle if there is more than one, elapsed and remaining time,
// requests/s and MB/s of the last interval, the worst running average of all files, findings. 79 columns hold all of them except the cycle.
// Every field keeps its place from one line to the next. On a narrow terminal fields are left out, the phase and the findings last.
//
//     main run            01:23 -03:37  12.3k/s    96.1 MB/s  avg  0.4 ms  findings 0
//
// `history`: of the throughput (see sparkline), shown on terminals that are wide enough for it in addition to everything else; may be
// empty.
std::string progress_line(const sim::Progress& progress, const ProgressRates& rates, std::size_t width, const std::string& history = "");

// One line for a file or a pipe, in words, with the running average of every file, without line end.
//
//     main run, 01:23 elapsed, 03:37 left, 12.3k IO/s, 96.1 MB/s, average sqliosim.mdx 0.4 ms, sqliosim.ldx 1.2 ms, findings 0
std::string progress_plain(const sim::Progress& progress, const ProgressRates& rates);

}  // namespace reports
