// The command line of `ioproof sweep`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/measuring/measure_request.hpp"
#include "cli/words/switches.hpp"
#include "reports/sweep_report.hpp"

namespace cli {

struct SweepArguments {
    MeasureRequest request;  // common to all combinations
    std::vector<reports::SweepKey> keys;
    bool has_blocks = false;            // otherwise blocks are the preset's, which may have several sizes
    std::vector<std::string> asked;     // the switches that decide what is measured, as "name=value"
    std::vector<std::string> left_out;  // impossible combinations, described
    std::string json_path;
    std::string csv_path;
    std::string html_path;
    bool resume = false;
};

// Throws UsageError.
SweepArguments parse_sweep(const std::vector<std::string>& words);

Switches sweep_switches();

// "1..64": doubling; "8..32+8": in steps; "1,4,16": these values. Sizes if `is_size`. Empty if the text is none of these, has a value
// outside of minimum … maximum, or more than 64 values.
[[nodiscard]] std::vector<std::uint64_t> parse_range(const std::string& text, bool is_size, std::uint64_t minimum, std::uint64_t maximum);

}  // namespace cli
