// The command line of `ioproof bench`.
#pragma once

#include <span>
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

// Without --help.
std::span<const Switch> bench_switches();

std::string bench_help_text();

}  // namespace cli
