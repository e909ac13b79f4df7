// The command line of `ioproof bench`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/measuring/measure_demands.hpp"
#include "cli/measuring/measure_outputs.hpp"
#include "cli/measuring/measure_request.hpp"
#include "cli/measuring/measure_run.hpp"
#include "cli/words/switches.hpp"
#include "sim/bench/bench_options.hpp"

namespace cli {

struct BenchArguments {
    sim::BenchOptions options;
    MeasurePaths paths;
    // Set by any switch that belongs only to a measurement by specification: then the storage is measured, not a run's own I/O path.
    std::optional<MeasureRequest> measure;
    RoundPlan plan;
    MeasureDemands demands;
};

// `words`: what follows "bench". Throws UsageError: what is wrong and what is allowed.
BenchArguments parse_bench(const std::vector<std::string>& words);

Switches bench_switches();
// The switches that do not belong only to a measurement by specification; `ioproof sweep` shares them.
Switches bench_own_switches();

}  // namespace cli
