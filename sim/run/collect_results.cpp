#include "sim/run/collect_results.hpp"

#include <algorithm>

#include "ums/io/block_device.hpp"
#include "ums/io/file_attributes.hpp"

namespace sim {

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

DriveFacts read_drive_facts(const std::string& path) {
    const ums::BlockDevice device = ums::block_device_of(path);
    DriveFacts facts;
    facts.known = device.known;
    facts.name = device.name;
    facts.number = device.number;
    facts.manager = device.driver;
    facts.logical_sector_bytes = device.logical_sector_bytes;
    facts.physical_sector_bytes = device.physical_sector_bytes;
    facts.size_bytes = device.size_bytes;
    facts.rotational = device.is_rotational;
    facts.removable = device.is_removable;
    facts.read_cache = device.known;  // Linux does not tell; every disk has one
    facts.write_cache = device.has_write_cache;
    facts.fua = device.has_fua;
    facts.reads = device.counters.reads;
    facts.read_time_ms = device.counters.read_time_ms;
    facts.writes = device.counters.writes;
    facts.write_time_ms = device.counters.write_time_ms;
    facts.idle_time_ms = device.counters.busy_time_ms;  // turned into idle time by drive_facts_since
    facts.read_bytes = device.counters.read_bytes;
    facts.written_bytes = device.counters.written_bytes;
    facts.merged_requests = device.counters.reads_merged + device.counters.writes_merged;
    return facts;
}

DriveFacts drive_facts_since(const DriveFacts& before, std::uint64_t elapsed_ms, const std::string& path) {
    DriveFacts facts = read_drive_facts(path);
    const auto since = [](std::uint64_t& now, std::uint64_t then) { now -= std::min(now, then); };
    const auto time_since = [&facts](std::uint64_t& now, std::uint64_t then) { now = facts.known ? ums::ms_between(then, now) : 0; };
    since(facts.reads, before.reads);
    time_since(facts.read_time_ms, before.read_time_ms);
    since(facts.writes, before.writes);
    time_since(facts.write_time_ms, before.write_time_ms);
    since(facts.read_bytes, before.read_bytes);
    since(facts.written_bytes, before.written_bytes);
    since(facts.merged_requests, before.merged_requests);
    time_since(facts.idle_time_ms, before.idle_time_ms);
    facts.idle_time_ms = facts.known ? elapsed_ms - std::min(elapsed_ms, facts.idle_time_ms) : 0;
    return facts;
}

void read_attributes(const std::string& path, FileResult& result) {
    ums::FileAttributes attributes;
    if (ums::read_file_attributes(path, attributes)) return;
    result.compressed = attributes.is_compressed;
    result.encrypted = attributes.is_encrypted;
    result.sparse = attributes.is_sparse;
}

}  // namespace sim
