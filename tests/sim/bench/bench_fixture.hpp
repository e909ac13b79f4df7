// Measurements with `ioproof bench` in virtual time, on a storage in memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/bench/bench.hpp"
#include "tests/sim/support/run_fixture.hpp"
#include "ums/base/units.hpp"

namespace sim::testing {

inline const std::string kBenchFile = "/memory/bench.mdx";

inline BenchOptions small_bench() {
    BenchOptions options;
    options.files = {kBenchFile};
    options.size_bytes = 4 * ums::kMb;
    options.depth = 4;
    options.seconds = 1;
    return options;
}

inline BenchResults run_bench(VirtualRun& run, const BenchOptions& options) {
    return Bench(options, run.storage, run.clock, run.sink).run();
}

// The requests of the measurement, known by a size that neither filling nor reading back uses.
inline std::vector<Recorded> of_size(const VirtualRun& run, ums::IoOperation operation, std::uint64_t size_bytes) {
    return run.storage.select(
        [&](const Recorded& request) { return request.of_load && request.operation == operation && request.size_bytes == size_bytes; });
}

// A measurement that leaves the file behind.
inline void leave_bench_file(VirtualRun& run) { run_bench(run, small_bench()); }

}  // namespace sim::testing
