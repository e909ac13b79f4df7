// The command line of `ioproof bench`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/measure_demands.hpp"
#include "cli/measure_outputs.hpp"
#include "cli/measure_request.hpp"
#include "cli/measure_run.hpp"
#include "cli/switches.hpp"
#include "sim/bench/bench_options.hpp"

namespace cli {

struct BenchArguments {
    sim::BenchOptions options;
    MeasurePaths paths;
    // Set by any switch that only a measurement by specification has: the storage is measured, and not a run's own path.
    std::optional<MeasureRequest> measure;
    RoundPlan plan;
    MeasureDemands demands;
};

// `words`: what follows "bench". Throws UsageError with what is wrong and what is allowed.
BenchArguments parse_bench(const std::vector<std::string>& words);

Switches bench_switches();
// Switches that are not only for a measurement by specification: shared with `ioproof sweep`.
Switches bench_own_switches();

}  // namespace cli
