#include "reports/held_back.hpp"

#include <algorithm>
#include <cstddef>

namespace reports {

namespace {

// An interval in which the load was held back has at least this share of throttled requests. As long as the governor holds a file at fewer
// than 50 blocks, it is one in 14 or more: a block is made after a quarter of them have come back in time, and is then thrown away again.
// A short stall among thousands of requests is less.
constexpr std::uint64_t kThrottledPercent = 1;

}  // namespace

std::optional<HeldBack> held_back(const sim::FileResult& file, const std::vector<sim::Interval>& intervals) {
    HeldBack held;
    std::uint64_t busy_us = 0;
    std::uint64_t throttles = 0;
    double block_us = 0;
    for (std::size_t i = 0; i < std::min(intervals.size(), file.samples.size()); ++i) {
        const sim::Interval& interval = intervals[i];
        const sim::FileSample& sample = file.samples[i];
        const std::uint64_t requests = sample.reads + sample.writes;
        if (interval.phase != sim::Phase::main_run || requests == 0) continue;
        busy_us += interval.duration_us;
        throttles += sample.throttles;
        if (sample.throttles == 0 || sample.throttles * 100 < requests * kThrottledPercent) continue;
        held.time_us += interval.duration_us;
        block_us += static_cast<double>(sample.request_blocks) * static_cast<double>(interval.duration_us);
    }
    // In a short run, one stall may be most of the time. It costs each block once at most.
    if (throttles <= file.request_blocks_max || held.time_us == 0 || held.time_us < busy_us - held.time_us) return std::nullopt;
    held.blocks = std::max(block_us / static_cast<double>(held.time_us), 1.0);
    return held;
}

}  // namespace reports
