// Rates over the last interval from two snapshots of a run's counters. Pure.
#pragma once

#include <cstdint>

#include "sim/results.hpp"

namespace reports {

struct ProgressRates {
    double ios_per_second = 0;
    double mb_per_second = 0;  // 1024 * 1024 bytes
};

// One thread. Made when the run begins: the counters before the first update are 0.
class ProgressMeter {
public:
    // `interval_us` is the wall time since the last update, or since the meter was made; with 0 the rates stay as they were.
    ProgressRates update(const sim::Progress& progress, std::uint64_t interval_us);

private:
    std::uint64_t io_count_ = 0;
    std::uint64_t io_bytes_ = 0;
    ProgressRates rates_;
};

}  // namespace reports
