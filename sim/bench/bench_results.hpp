// What a measurement has found. Plain data.
#pragma once

#include <cstdint>
#include <string>

#include "sim/bench/bench_options.hpp"

namespace sim {

struct BenchResults {
    BenchOptions options;  // with everything filled in that was left open
    std::string engine;
    std::string engine_reason;  // why it is not the first choice, or empty

    std::uint64_t duration_ns = 0;
    std::uint64_t requests = 0;
    std::uint64_t bytes = 0;
    std::uint64_t pages_verified = 0;  // in the measurement
    double latency_mean_us = 0;        // of a request, from its start in the engine to its collection
    std::uint64_t cpu_user_us = 0;     // of the measurement, over all threads
    std::uint64_t cpu_system_us = 0;
    std::uint64_t resident_max_bytes = 0;

    std::uint64_t pages_read_back = 0;  // after the measurement: what was written, compared with the ledger
    std::uint64_t finding_count = 0;
    bool stopped = false;        // by a person, before its time was up
    std::string failure_reason;  // not empty: the storage went away or is full, and the figures cover the time until then
};

}  // namespace sim
