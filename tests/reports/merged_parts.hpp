// Results files of several hosts, for tests of what is made of them together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "reports/merged_results.hpp"
#include "reports/results_document.hpp"
#include "reports/results_json.hpp"
#include "sim/files/latency_counts.hpp"
#include "sim/files/latency_histogram.hpp"
#include "tests/reports/prepared_results.hpp"

namespace test {

// A run as in a results file, with measured latencies.
inline nlohmann::ordered_json part_of(std::uint64_t number, bool has_findings = false) {
    sim::Results results = has_findings ? stale_results() : sound_results();
    results.run_id += number;
    results.start_utc_us += number * 10'000'000;
    for (sim::FileResult& file : results.files) {
        for (sim::LatencyResult& latency : file.latency) {
            sim::LatencyHistogram histogram;
            for (std::uint64_t i = 0; i < 100 * number; ++i) histogram.add((i + 1) * 10'000 * number);
            sim::LatencyCounts sum;
            sum.merge(histogram);
            latency = sum.result();
        }
    }
    return reports::parse_results(reports::results_json(results, {}), "test");
}

inline nlohmann::ordered_json group_of_rank(std::uint32_t rank, std::uint32_t of) {
    return {{"name", "night-1"},
            {"plan", "side-by-side"},
            {"rank", rank},
            {"of", of},
            {"host", "node-" + std::string(1, static_cast<char>('a' + rank))},
            {"witness", "10.0.0.5:7017"},
            {"clock", {{"offset_us", -1000}, {"round_trip_us", 400}}},
            {"turn", nullptr}};
}

// Results files of which one is made.
struct Parts {
    std::vector<nlohmann::ordered_json> results;

    void add(nlohmann::ordered_json json) { results.push_back(std::move(json)); }
    [[nodiscard]] nlohmann::ordered_json merged() const {
        std::vector<reports::NamedResults> named;
        for (std::size_t i = 0; i < results.size(); ++i) named.push_back({"r" + std::to_string(i) + ".json", &results[i]});
        return reports::merged_results(named, "1.2.3");
    }
};

inline nlohmann::ordered_json ranked_part(std::uint64_t number, std::uint32_t rank, std::uint32_t of, bool has_findings = false) {
    nlohmann::ordered_json json = part_of(number, has_findings);
    json["group"] = group_of_rank(rank, of);
    return json;
}

// The turns of a hand-over, alternating between two ranks: all of one run.
inline nlohmann::ordered_json turn_part(std::uint32_t number, std::uint32_t turns, const nlohmann::ordered_json& previous) {
    nlohmann::ordered_json json = ranked_part(number, (number - 1) % 2, 2);
    json["run"]["run_id"] = "00000000000000fe";
    json["group"]["plan"] = "hand-over";
    json["group"]["turn"] = {{"number", number}, {"turns", turns}, {"previous", previous}};
    return json;
}

}  // namespace test
