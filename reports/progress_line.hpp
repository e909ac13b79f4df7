// The progress of a run, as lines of text. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "sim/results.hpp"

namespace reports {

// Rates over the last interval, from two snapshots of a run's counters.
struct ProgressRates {
    double ios_per_second = 0;
    double mb_per_second = 0;  // 1024 * 1024 bytes
};

// One thread. Created when the run begins: before the first update, the counters are 0.
class ProgressMeter {
public:
    // `interval_us`: wall time since the last update, or since the meter was created; 0 leaves the rates as they were.
    ProgressRates update(const sim::Progress& progress, std::uint64_t interval_us);

private:
    std::uint64_t io_count_ = 0;
    std::uint64_t io_bytes_ = 0;
    ProgressRates rates_;
};

// One line for a terminal, exactly `width` columns, without line end: phase, cycle if there is more than one, elapsed and remaining time,
// requests/s and MB/s of the last interval, the worst running average of all files, findings. 79 columns hold all of them except the cycle.
// Every field keeps its place from line to line. A narrow terminal omits fields, phase and findings last.
//
//     main run            01:23 -03:37  12.3k/s    96.1 MB/s  avg  0.4 ms  findings 0
//
// `history`: of the throughput (see sparkline); shown in addition if the terminal is wide enough. May be empty.
std::string progress_line(const sim::Progress& progress, const ProgressRates& rates, std::size_t width, const std::string& history = "");

// One line in words for a file or a pipe, with the running average of every file, without line end.
//
//     main run, 01:23 elapsed, 03:37 left, 12.3k IO/s, 96.1 MB/s, average sqliosim.mdx 0.4 ms, sqliosim.ldx 1.2 ms, findings 0
std::string progress_plain(const sim::Progress& progress, const ProgressRates& rates);

// The course of a figure in a few columns of text, as "▁▃▇█▇▅". Pure.
// Columns of the terminal's progress line.
inline constexpr std::size_t kSparklineColumns = 16;

// The last `columns` values, or fewer if there are fewer: a full block for the highest of them, the lowest block for 0. Needs UTF-8.
[[nodiscard]] std::string sparkline(const std::deque<double>& values, std::size_t columns);

}  // namespace reports
