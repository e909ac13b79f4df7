// The figures of a measurement by specification, for people and for programs. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "reports/statistics.hpp"
#include "sim/bench/measure_results.hpp"

namespace reports {

inline constexpr std::string_view kMeasureDocument = "ioproof measurement";
inline constexpr int kMeasureVersion = 1;

// Percentiles that are told, in percent; of them those with many nines only where there are so many requests.
[[nodiscard]] const std::vector<double>& measure_percents();

// One round, the last of the results' timespans.
[[nodiscard]] std::string measure_text(const sim::MeasureResults& results);

// One round as an object: targets, threads, CPUs, devices, throttling, intervals.
[[nodiscard]] nlohmann::ordered_json measure_json(const sim::MeasureResults& results);

// Several rounds of the same: what they say together.
struct MeasureRounds {
    std::vector<double> requests_per_s;
    std::vector<double> mean_latency_us;
    bool asked_for_steady_state = false;
    [[nodiscard]] bool is_steady() const { return steady_state_of(requests_per_s).is_reached; }
};
[[nodiscard]] std::string rounds_text(const MeasureRounds& rounds);
[[nodiscard]] nlohmann::ordered_json rounds_json(const MeasureRounds& rounds);

// Requests a second of all rows by whole intervals, for burst_cliff_of(); empty without intervals.
[[nodiscard]] std::vector<double> rates_by_interval(const sim::MeasureTimespanResults& timespan);
// A sentence about burst credits, with the second of the cliff and the sustainable figure; empty if there was no cliff.
[[nodiscard]] std::string burst_text(const sim::MeasureTimespanResults& timespan);

}  // namespace reports
