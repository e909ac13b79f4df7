// One line that says how far a run is: phase, elapsed and remaining time, rates, running averages, findings. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/results.hpp"

namespace cli {

// What happened between two looks at a run.
struct ProgressRates {
    double ios_per_second = 0;
    double bytes_per_second = 0;
};

// `interval_us`: between the two. An interval of 0 gives rates of 0.
ProgressRates rates_between(const sim::Progress& earlier, const sim::Progress& later, std::uint64_t interval_us);

// At most `columns` wide: what matters less is left out first. No line end.
std::string progress_text(const sim::Progress& progress, const ProgressRates& rates, std::size_t columns);

}  // namespace cli
