// The load of a measurement: tasks that each keep one request outstanding until they are told to stop.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/bench/bench_file.hpp"
#include "sim/bench/log_stream.hpp"

namespace sim {

// What the tasks of a load share. Outlives them.
struct BenchContext {
    const BenchOptions& options;
    RunState& run;  // users_must_stop(): the time is up
    std::vector<std::unique_ptr<BenchFile>>& files;
    std::vector<std::unique_ptr<LogStream>>& logs;  // of the files, for a load of log blocks
};

// One task; `seed` decides where it reads and writes. The options decide the kind of load:
// - log blocks: stamped and checksummed blocks, one after the other
// - writes: pages, with memory, latch, new version, image, gather write and ledger
// - reads: pages, with memory, latches, scatter read and verification against the ledger
// - reads with verify = false, or without a device: the request alone, into the task's own memory
ums::Task<void> run_bench_task(BenchContext& context, std::uint32_t task, std::uint64_t seed);

}  // namespace sim
