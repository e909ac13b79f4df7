// The figures of a measurement by specification, as text. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/statistics.hpp"
#include "sim/bench/measure_results.hpp"

namespace reports {

// One round: the last of the results' time spans.
[[nodiscard]] std::string measure_text(const sim::MeasureResults& results);

// Requests per second of all rows, by complete intervals; empty without intervals.
[[nodiscard]] std::vector<double> rates_by_interval(const sim::MeasureTimespanResults& timespan);
// The cliff of these rates, if they had each of the two levels for five seconds and five intervals, or longer.
[[nodiscard]] std::optional<BurstCliff> burst_of(const sim::MeasureTimespanResults& timespan);

// What the user must know to compare latencies if a pool of threads is smaller than the requests outstanding, without a full stop;
// otherwise empty.
[[nodiscard]] std::string small_pool_text(const sim::MeasureTimespanResults& timespan);

// What the user must know if files are read where the file system has no data for them, without a full stop: one text for each of them.
[[nodiscard]] std::vector<std::string> hole_texts(const sim::MeasureTimespanResults& timespan);

// "812.4 us", "48 ms".
[[nodiscard]] std::string time_text(std::uint64_t duration_ns);
// The same for a percentile; "-" if less than one request lies beyond it.
[[nodiscard]] std::string percentile_cell(const sim::LatencyCounts& latency, double percent);

}  // namespace reports
