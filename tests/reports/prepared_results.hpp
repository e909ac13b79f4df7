// Five runs that a newcomer should understand: sound, slow, throttled, stale reads, full disk. With latencies and a time series.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/reports/example_results.hpp"

// Latencies of `count` requests that took `mean_ns` on average: half of them less, and a few a hundred times as long.
inline sim::LatencyResult prepared_latency(std::uint64_t count, std::uint64_t mean_ns) {
    sim::LatencyResult latency;
    latency.count = count;
    latency.total_ns = count * mean_ns;
    latency.mean_ns = static_cast<double>(mean_ns);
    latency.deviation_ns = static_cast<double>(mean_ns) * 0.75;
    latency.min_ns = mean_ns / 8;
    latency.max_ns = mean_ns * 100;
    for (std::size_t i = 0; i < sim::kLatencyPercents.size(); ++i) latency.percentiles_ns[i] = mean_ns * (4 + 5 * i * i) / 8;
    latency.buckets = {{mean_ns / 8, mean_ns / 8 + mean_ns / 512, count / 2},
                       {mean_ns, mean_ns + mean_ns / 64, count - count / 2 - 1},
                       {mean_ns * 100, mean_ns * 102, 1}};
    return latency;
}

inline void prepare_series(sim::Results& results) {
    const std::size_t seconds = 40;
    for (std::size_t i = 0; i < seconds; ++i) {
        const sim::Phase phase = i < 8 ? sim::Phase::initial_update : i < 36 ? sim::Phase::main_run : sim::Phase::final_audit;
        results.intervals.push_back({i * 1'000'000, 1'000'000, phase, 1});
        for (sim::FileResult& file : results.files) {
            sim::FileSample sample;
            sample.reads = file.is_log ? 0 : 1000 + 37 * (i * 7 % 11);
            sample.writes = 400 + 23 * (i * 5 % 13);
            sample.read_bytes = sample.reads * 65'536;
            sample.written_bytes = sample.writes * 32'768;
            sample.read_time_us = sample.reads * (3000 + 200 * (i % 5));
            sample.write_time_us = sample.writes * (900 + 100 * (i % 7));
            sample.throttles = file.throttle_count > 0 ? i % 4 : 0;
            sample.outstanding = static_cast<std::uint32_t>(8 + i % 9);
            sample.request_blocks = 40;
            sample.read_latency[12] = sample.reads / 3;
            sample.read_latency[13] = sample.reads - sample.reads / 3;
            if (file.is_log) sample.read_latency = {};
            sample.write_latency[10] = sample.writes - 5;
            sample.write_latency[15] = 5;
            file.samples.push_back(sample);
        }
    }
}

inline sim::Results sound_results() {
    sim::Results results = example_results();
    sim::FileResult& data = results.files[0];
    data.throttle_count = 0;
    data.average_io_duration_us = 2'400;
    using sim::IoClass;
    const auto set = [](sim::FileResult& file, IoClass io_class, std::uint64_t count, std::uint64_t mean_ns) {
        file.latency[static_cast<std::size_t>(io_class)] = prepared_latency(count, mean_ns);
    };
    set(data, IoClass::read, data.reads, 1'900'000);
    set(data, IoClass::scatter_read, data.scatter_reads, 3'100'000);
    set(data, IoClass::write, data.writes, 700'000);
    set(data, IoClass::gather_write, data.gather_writes, 2'600'000);
    set(results.files[1], IoClass::log_flush, results.files[1].writes, 850'000);
    prepare_series(results);
    return results;
}

// In the main run, the governor throttles `file` in each second, and leaves it `blocks` request blocks.
inline void hold_back(const sim::Results& results, sim::FileResult& file, std::uint32_t blocks) {
    const auto is_main_run = [](const sim::Interval& interval) { return interval.phase == sim::Phase::main_run; };
    const auto seconds = std::count_if(results.intervals.begin(), results.intervals.end(), is_main_run);
    for (std::size_t i = 0; i < results.intervals.size(); ++i) {
        if (!is_main_run(results.intervals[i])) continue;
        file.samples[i].throttles = file.throttle_count / static_cast<std::uint64_t>(seconds);
        file.samples[i].request_blocks = blocks;
    }
}

inline sim::Results slow_results() {
    sim::Results results = sound_results();
    for (sim::LatencyResult& latency : results.files[0].latency) {
        if (latency.count > 0) latency = prepared_latency(latency.count, 28'000'000);
    }
    results.files[0].average_io_duration_us = 121'000;
    results.files[0].throttle_count = 1'167;
    results.files[0].request_blocks = 13;
    hold_back(results, results.files[0], 13);
    results.files[0].long_ios = 3;
    results.files[0].max_io_time_us = 21'300'000;
    results.files[1].latency[static_cast<std::size_t>(sim::IoClass::log_flush)] = prepared_latency(results.files[1].writes, 6'200'000);
    results.files[1].write_retries = 1;
    return results;
}

inline sim::Results throttled_results() {
    sim::Results results = sound_results();
    results.files[0].average_io_duration_us = 17'000;
    results.files[0].throttle_count = 9'006;
    results.files[0].request_blocks = 33;
    hold_back(results, results.files[0], 33);
    for (sim::LatencyResult& latency : results.files[0].latency) {
        if (latency.count > 0) latency = prepared_latency(latency.count, 12'000'000);
    }
    return results;
}

inline sim::Results stale_results() {
    sim::Results results = sound_results();
    results.outcome = sim::Outcome::failed;
    results.outcome_reason = "A fault was found, and StopOnError ends the run.";
    for (std::uint32_t i = 0; i < 3; ++i) {
        sim::Finding finding = example_finding();
        finding.number = i + 1;
        finding.kind = sim::FindingKind::stale_read;
        finding.transient = true;
        finding.place.page_id += i;
        finding.place.offset_bytes += i * 8192ULL;
        finding.description = "Version 5 of the page was acknowledged, version 3 came back once.";
        finding.comparison.value().sectors.assign(16, {sim::SectorState::older, 3, 1, finding.place.page_id, 0});
        finding.comparison.value().sectors[15].state = sim::SectorState::damaged;
        finding.evidence.dump_path = "/logs/SqlSimErrorDump0000" + std::to_string(i + 1) + ".txt";
        finding.reasoning = {"The header and all sectors are of version 3.", "The second read returned version 5."};
        results.findings.push_back(finding);
    }
    results.finding_count = 3;
    results.files[0].findings = 3;
    return results;
}

inline sim::Results full_disk_results() {
    sim::Results results = sound_results();
    results.outcome = sim::Outcome::not_done;
    results.outcome_reason = "/data/sqliosim.mdx: write of 65536 bytes at offset 0x1000000: No space left on device.";
    results.phases.resize(4);
    for (sim::FileResult& file : results.files) file.pages_verified = 0;
    return results;
}
