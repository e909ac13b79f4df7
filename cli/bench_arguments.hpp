// The command line of `ioproof bench`.
#pragma once

#include <string>
#include <vector>

#include "cli/switches.hpp"
#include "sim/bench/bench_options.hpp"

namespace cli {

struct BenchArguments {
    sim::BenchOptions options;
    std::string json_path;  // empty = no JSON; "-" = on the standard output, instead of the text
};

// `words`: what stands behind "bench". Throws UsageError with what is wrong and what is allowed.
BenchArguments parse_bench(const std::vector<std::string>& words);

Switches bench_switches();

}  // namespace cli
