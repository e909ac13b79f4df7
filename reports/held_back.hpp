// Whether the load governor had to hold back the load of a file, and not only after a stall. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/results.hpp"

namespace reports {

struct HeldBack {
    std::uint64_t time_us = 0;  // of the main runs
    double blocks = 0;          // request blocks in that time, on average; at least 1
};

// Empty if the load was held back for less than half of the time in which requests of the main runs came back. A stall also throttles a
// file, but soon after it the file has as many request blocks as it needs: their number at the end then shows what the users demanded.
std::optional<HeldBack> held_back(const sim::FileResult& file, const std::vector<sim::Interval>& intervals);

}  // namespace reports
