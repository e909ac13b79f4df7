// Measurements with known figures, for tests of their reports.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/measure_json.hpp"
#include "reports/measure_rounds.hpp"
#include "sim/bench/measure_results.hpp"

namespace test {

// One second with these numbers of reads and writes, each of the given duration.
inline sim::MeasureTimespanResults measured_second(std::uint64_t reads, std::uint64_t read_us, std::uint64_t writes = 0,
                                                   std::uint64_t write_us = 0, const std::string& label = "",
                                                   const std::string& path = "/mnt/data/b.mdx") {
    sim::MeasureTimespanResults second;
    second.duration_ns = 1'000'000'000;
    second.engine = "uring";
    second.spec.targets.emplace_back();
    second.spec.targets[0].path = path;
    second.spec.targets[0].label = label;
    second.spec.targets[0].block_bytes = 8192;
    second.spec.targets[0].write_percent = writes == 0 ? 0 : 50;
    second.targets.emplace_back();
    second.targets[0].path = path;
    sim::MeasureRow row;
    const auto fill = [](sim::MeasureCounts& counts, std::uint64_t count, std::uint64_t us) {
        counts.requests = count;
        counts.bytes = count * 8192;
        for (std::uint64_t i = 0; i < count; ++i) counts.latency.add(us * 1000);
    };
    fill(row.reads, reads, read_us);
    fill(row.writes, writes, write_us);
    second.rows.push_back(row);
    return second;
}

// Adds the target of the second measurement to the first.
inline sim::MeasureTimespanResults side_by_side(sim::MeasureTimespanResults one, const sim::MeasureTimespanResults& other) {
    one.spec.targets.push_back(other.spec.targets[0]);
    one.targets.push_back(other.targets[0]);
    one.rows.push_back(other.rows[0]);
    one.rows.back().target = 1;
    return one;
}

// The document of these rounds, as bench writes it.
inline nlohmann::ordered_json measured_document(const std::vector<sim::MeasureTimespanResults>& seconds) {
    sim::MeasureResults results;
    reports::MeasureRounds rounds;
    nlohmann::ordered_json each;
    for (const sim::MeasureTimespanResults& second : seconds) {
        results.timespans = {second};
        rounds.add(second);
        reports::add_round(each, reports::measure_json(results));
    }
    nlohmann::ordered_json document = reports::measure_json(results);
    if (seconds.size() < 2) return document;
    document["rounds"] = reports::rounds_json(rounds);
    document["rounds"].update(each);
    return document;
}

}  // namespace test
