// A measurement with known figures: two threads on one file of 1 GB for ten seconds, reads of 1 and 3 ms, and one write.
#pragma once

#include "reports/diskspd/diskspd_document.hpp"

namespace test {

inline sim::MeasureTimespanResults example_timespan_results() {
    sim::MeasureTimespanResults found;
    found.thread_count = 2;
    found.duration_ns = 10'000'000'000;
    found.targets.push_back({.path = "/data/t.dat", .size_bytes = std::uint64_t{1} << 30});
    found.cpus = {{.id = 0, .user_percent = 10, .kernel_percent = 20.5, .idle_percent = 69.5}, {.id = 1, .idle_percent = 100}};
    for (std::uint32_t thread = 0; thread < 2; ++thread) {
        sim::MeasureRow row;
        row.thread = thread;
        for (int i = 0; i < 500; ++i) {
            row.reads.latency.add(1'000'000);
            row.reads.latency.add(3'000'000);
        }
        row.reads.requests = 1000;
        row.reads.bytes = 1000 * 8192;
        row.intervals.resize(10);
        for (std::size_t i = 0; i < row.intervals.size(); ++i) {
            sim::MeasureIntervalCounts& counts = row.intervals[i].reads;
            counts.requests = i % 2 == 0 ? 90 : 110;
            counts.latency_total_ns = counts.requests * 2'000'000;
            counts.latency_min_ns = 1'000'000;
            counts.latency_max_ns = 3'000'000;
            counts.latency_squares_us = static_cast<double>(counts.requests) * 5'000'000.0;
        }
        found.rows.push_back(std::move(row));
    }
    found.rows[1].writes.requests = 1;
    found.rows[1].writes.bytes = 8192;
    found.rows[1].writes.latency.add(20'000'000);
    return found;
}

inline reports::DiskspdDocument example_document() {
    reports::DiskspdDocument document;
    document.profile.command_line = "diskspd -b8K -t2 -r -L -D -w1 t.dat";
    reports::DiskspdTimeSpan& span = document.profile.time_spans.emplace_back();
    span.measures_latency = true;
    span.gathers_iops = true;
    reports::DiskspdTarget& target = span.targets.emplace_back();
    target.path = "t.dat";
    target.block_bytes = 8192;
    target.random_percent = 100;
    target.threads_per_file = 2;
    target.write_percent = 1;
    document.system.tool_version = "ioproof 1.2";
    document.system.computer_name = "host";
    document.system.start_utc_us = 1'700'000'000'000'000;
    document.system.topology.processors = {{.id = 0, .core = 0}, {.id = 1, .core = 1}};
    document.system.topology.core_count = 2;
    document.system.topology.socket_count = 1;
    document.system.topology.node_count = 1;
    document.system.topology.frequency_governor = "performance";
    document.results.timespans.push_back(example_timespan_results());
    return document;
}

}  // namespace test
