#include "sim/run/collect_results.hpp"

#include <algorithm>
#include <string>

#include "ums/io/file_attributes.hpp"

namespace sim {

namespace {

// Compression, encryption and sparseness.
void read_attributes(const std::string& path, FileResult& result) {
    ums::FileAttributes attributes;
    if (ums::read_file_attributes(path, attributes)) return;
    result.compressed = attributes.is_compressed;
    result.encrypted = attributes.is_encrypted;
    result.sparse = attributes.is_sparse;
}

}  // namespace

FileResult result_of(const SimFile& file, std::uint32_t target_io_duration_ms) {
    FileResult result;
    result.path = file.path();
    result.named_as = file.options().named_as;
    result.file_id = file.id();
    result.is_log = file.is_log();
    result.size_bytes = file.size_bytes();
    result.target_io_duration_ms = target_io_duration_ms;
    result.average_io_duration_us = file.governor().average_us();
    result.throttle_count = file.governor().throttle_count();
    result.request_blocks = file.governor().blocks();
    const RequestBlockStatistics blocks = file.governor().block_statistics();
    result.request_blocks_mean = blocks.mean;
    result.request_blocks_min = blocks.min;
    result.request_blocks_max = blocks.max;
    const FileCountersPerCpu& counters = file.counters();
    result.reads = sum_of(counters, &FileCounters::reads);
    result.scatter_reads = sum_of(counters, &FileCounters::scatter_reads);
    result.writes = sum_of(counters, &FileCounters::writes);
    result.gather_writes = sum_of(counters, &FileCounters::gather_writes);
    result.total_io_time_us = io_time_ns_of(counters) / 1000;
    result.read_bytes = sum_of(counters, &FileCounters::read_bytes);
    result.written_bytes = sum_of(counters, &FileCounters::written_bytes);
    result.pages_verified = sum_of(counters, &FileCounters::pages_verified);
    result.long_ios = sum_of(counters, &FileCounters::long_ios);
    result.write_retries = sum_of(counters, &FileCounters::write_retries);
    result.grown_count = file.grown_count;
    result.shrunk_count = file.shrunk_count;
    result.findings = file.finding_count;
    for (std::size_t io_class = 0; io_class < kIoClassCount; ++io_class) {
        result.latency[io_class] = latency_of(counters, static_cast<IoClass>(io_class));
        result.max_io_time_us = std::max(result.max_io_time_us, result.latency[io_class].max_ns / 1000);
    }
    for (const FileCounters& cpu : counters) result.max_io_time_us = std::max(result.max_io_time_us, cpu.long_io_max_ns.value() / 1000);
    read_attributes(file.path(), result);
    return result;
}

void add_schedulers(ums::SchedulerGroup& schedulers, Results& results) {
    ums::WaitTable waits{};
    for (std::uint32_t cpu = 0; cpu < schedulers.size(); ++cpu) {
        const ums::SchedulerStatistics& statistics = schedulers[cpu].statistics();
        results.schedulers.push_back(
            {cpu, statistics.switches, statistics.yields, statistics.quantum_overruns, statistics.idle_ns / 1000, statistics.io_requests});
        for (std::size_t type = 0; type < ums::kWaitTypeCount; ++type) {
            waits[type].count += statistics.waits[type].count;
            waits[type].wait_ns += statistics.waits[type].wait_ns;
            waits[type].signal_wait_ns += statistics.waits[type].signal_wait_ns;
            waits[type].wait_max_ns = std::max(waits[type].wait_max_ns, statistics.waits[type].wait_max_ns);
        }
    }
    for (std::size_t type = 0; type < ums::kWaitTypeCount; ++type) {
        if (waits[type].count == 0) continue;
        results.waits.push_back({std::string(name_of(static_cast<ums::WaitType>(type))), waits[type].count, waits[type].wait_ns / 1000,
                                 waits[type].wait_max_ns / 1000, waits[type].signal_wait_ns / 1000});
    }
}

}  // namespace sim
