// Results in the form of SQLIO's text. Scripts pick lines by number, so each line is where SQLIO has it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/bench/measure_results.hpp"

namespace reports {

// What the head of the text says.
struct SqlioHead {
    struct File {
        std::string path;
        std::uint32_t threads = 1;
        std::uint64_t cpu_mask = 0;
        bool is_size_specified = false;  // by the parameter file; otherwise it is the size found
    };

    bool is_write = false;
    std::uint32_t seconds = 0;
    std::uint32_t block_kb = 0;
    std::string pattern;  // "random", "sequential"; empty: stripes
    std::uint64_t stripe_kb = 0;
    std::uint32_t run_requests = 0;
    std::optional<std::uint32_t> outstanding;  // nothing = no line
    std::string_view buffering;                // empty = no line
    bool measures_latency = false;
    bool uses_processor_timer = false;
    std::string parameter_path;  // empty = none
    std::vector<File> files;
};

std::string sqlio_text(const SqlioHead& head, const sim::MeasureTimespanResults& results);

}  // namespace reports
