// The figures of a measurement by specification, as JSON (docs/measuring.md). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "sim/bench/measure_results.hpp"

namespace reports {

inline constexpr std::string_view kMeasureDocument = "ioproof measurement";
inline constexpr int kMeasureVersion = 1;

// The reported percentiles, in percent; those with many nines only if there are enough requests.
[[nodiscard]] const std::vector<double>& measure_percents();

// One round as an object: targets, threads, CPUs, devices, throttling, intervals.
[[nodiscard]] nlohmann::ordered_json measure_json(const sim::MeasureResults& results);

// Reads or writes during this time.
[[nodiscard]] nlohmann::ordered_json counts_json(const sim::MeasureCounts& counts, std::uint64_t duration_ns);

// What was requested for one target, in the words of target_json: must be equal for two measurements to be comparable.
[[nodiscard]] nlohmann::ordered_json asked_json(const sim::MeasureTimespan& timespan, std::size_t target);

}  // namespace reports
