// What was done with a file, counted separately by each scheduler and summed up on demand.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "sim/files/latency_counts.hpp"
#include "sim/files/latency_histogram.hpp"
#include "ums/base/local_counter.hpp"

namespace sim {

struct alignas(128) FileCounters {
    ums::LocalCounter posted;  // requests of any kind, counted when the engine takes them, and when they come back
    ums::LocalCounter returned;
    ums::LocalCounter reads;          // single-page requests
    ums::LocalCounter scatter_reads;  // multi-page requests
    ums::LocalCounter writes;
    ums::LocalCounter gather_writes;
    ums::LocalCounter read_bytes;
    ums::LocalCounter written_bytes;
    ums::LocalCounter log_bytes;  // of them, blocks of the log
    ums::LocalCounter long_ios;
    ums::LocalCounter long_io_max_ns;  // the longest of them, which may be a sync or another request without a latency
    ums::LocalCounter write_retries;
    ums::LocalCounter pages_verified;
    ums::LocalCounter pages_dirtied;                      // in memory: clean pages that were changed…
    ums::LocalCounter pages_cleaned;                      // … and dirty pages that were written, or given up
    std::array<LatencyHistogram, kIoClassCount> latency;  // by IoClass
};

using FileCountersPerCpu = std::vector<FileCounters>;

// Any thread, any time.
[[nodiscard]] inline std::uint64_t sum_of(const FileCountersPerCpu& counters, ums::LocalCounter FileCounters::*member) {
    std::uint64_t sum = 0;
    for (const FileCounters& cpu : counters) sum += (cpu.*member).value();
    return sum;
}

// How long all requests took together. Any thread, any time.
[[nodiscard]] inline std::uint64_t io_time_ns_of(const FileCountersPerCpu& counters) {
    std::uint64_t sum_ns = 0;
    for (const FileCounters& cpu : counters) {
        for (const LatencyHistogram& histogram : cpu.latency) sum_ns += histogram.total_ns();
    }
    return sum_ns;
}

// Requests that have not come back. Any thread; an estimate while they do. Of a request that is posted and comes back meanwhile, a CPU that
// reorders its accesses, as ARM does, may show the end alone.
[[nodiscard]] inline std::uint64_t outstanding_of(const FileCountersPerCpu& counters) {
    const std::uint64_t returned = sum_of(counters, &FileCounters::returned);
    const std::uint64_t posted = sum_of(counters, &FileCounters::posted);
    return posted - std::min(posted, returned);
}

// Pages of the file that are dirty in memory. Any thread; an estimate while they change.
[[nodiscard]] inline std::uint64_t dirty_pages_of(const FileCountersPerCpu& counters) {
    const std::uint64_t cleaned = sum_of(counters, &FileCounters::pages_cleaned);
    const std::uint64_t dirtied = sum_of(counters, &FileCounters::pages_dirtied);
    return dirtied - std::min(dirtied, cleaned);
}

// Any thread, any time; best when nothing is outstanding.
[[nodiscard]] inline LatencyResult latency_of(const FileCountersPerCpu& counters, IoClass io_class) {
    LatencyCounts sum;
    for (const FileCounters& cpu : counters) sum.merge(cpu.latency[static_cast<std::size_t>(io_class)]);
    return sum.result();
}

}  // namespace sim
