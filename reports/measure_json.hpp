// The figures of a measurement by specification, for programs (docs/measuring.md). Pure.
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

// Percentiles that are told, in percent; of them those with many nines only where there are so many requests.
[[nodiscard]] const std::vector<double>& measure_percents();

// One round as an object: targets, threads, CPUs, devices, throttling, intervals.
[[nodiscard]] nlohmann::ordered_json measure_json(const sim::MeasureResults& results);

// Reads or writes over so long a time.
[[nodiscard]] nlohmann::ordered_json counts_json(const sim::MeasureCounts& counts, std::uint64_t duration_ns);

// What was asked for on one target, in the words that target_json has them by: what must be the same for two measurements to be compared.
[[nodiscard]] nlohmann::ordered_json asked_json(const sim::MeasureTimespan& timespan, std::size_t target);

}  // namespace reports
