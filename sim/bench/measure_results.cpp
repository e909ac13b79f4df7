#include "sim/bench/measure_results.hpp"

#include <algorithm>
#include <cmath>

namespace sim {

void MeasureIntervalCounts::add(std::uint64_t size_bytes, std::uint64_t latency_ns) {
    latency_min_ns = requests == 0 ? latency_ns : std::min(latency_min_ns, latency_ns);
    latency_max_ns = std::max(latency_max_ns, latency_ns);
    ++requests;
    bytes += size_bytes;
    latency_total_ns += latency_ns;
    const double latency_us = static_cast<double>(latency_ns) / 1000;
    latency_squares_us += latency_us * latency_us;
}

void MeasureIntervalCounts::merge(const MeasureIntervalCounts& other) {
    if (other.requests == 0) return;
    latency_min_ns = requests == 0 ? other.latency_min_ns : std::min(latency_min_ns, other.latency_min_ns);
    latency_max_ns = std::max(latency_max_ns, other.latency_max_ns);
    requests += other.requests;
    bytes += other.bytes;
    latency_total_ns += other.latency_total_ns;
    latency_squares_us += other.latency_squares_us;
}

void MeasureRow::merge(const MeasureRow& other) {
    reads.merge(other.reads);
    writes.merge(other.writes);
    flushes += other.flushes;
    if (intervals.size() < other.intervals.size()) intervals.resize(other.intervals.size());
    for (std::size_t i = 0; i < other.intervals.size(); ++i) {
        intervals[i].reads.merge(other.intervals[i].reads);
        intervals[i].writes.merge(other.intervals[i].writes);
    }
}

void MeasureRow::add_idle_intervals(std::uint32_t interval_ms, std::uint64_t duration_ns) {
    const std::uint64_t whole = interval_ms == 0 ? 0 : duration_ns / (std::uint64_t{interval_ms} * 1'000'000);
    if (intervals.size() < whole) intervals.resize(whole);
}

MeasureCounts MeasureRow::both() const {
    MeasureCounts sum = reads;
    sum.merge(writes);
    return sum;
}

MeasureRow MeasureTimespanResults::total() const {
    MeasureRow sum;
    for (const MeasureRow& row : rows) sum.merge(row);
    return sum;
}

MeasureRow MeasureTimespanResults::total_of_target(std::uint32_t target) const {
    MeasureRow sum;
    sum.target = target;
    for (const MeasureRow& row : rows) {
        if (row.target == target) sum.merge(row);
    }
    return sum;
}

double MeasureTimespanResults::cpu_ns_per_request() const {
    std::uint64_t requests = 0;
    for (const MeasureRow& row : rows) requests += row.reads.requests + row.writes.requests;
    return requests == 0 ? 0 : static_cast<double>(cpu_user_us + cpu_system_us) * 1000 / static_cast<double>(requests);
}

MeasureCpu MeasureTimespanResults::cpu_mean() const {
    MeasureCpu mean;
    if (cpus.empty()) return mean;
    for (const MeasureCpu& cpu : cpus) {
        mean.user_percent += cpu.user_percent;
        mean.kernel_percent += cpu.kernel_percent;
        mean.idle_percent += cpu.idle_percent;
        mean.steal_percent += cpu.steal_percent;
    }
    const auto count = static_cast<double>(cpus.size());
    mean.user_percent /= count;
    mean.kernel_percent /= count;
    mean.idle_percent /= count;
    mean.steal_percent /= count;
    return mean;
}

double iops_deviation(const MeasureRow& row, std::uint32_t interval_ms, std::uint64_t duration_ns, MeasureDirection direction) {
    if (interval_ms == 0) return 0;
    // Intervals without requests count, including those at the end.
    const std::uint64_t whole = duration_ns / (std::uint64_t{interval_ms} * 1'000'000);
    if (whole < 2) return 0;
    double sum = 0;
    double squares = 0;
    for (std::uint64_t i = 0; i < whole; ++i) {
        std::uint64_t requests = 0;
        if (i < row.intervals.size()) {
            if (direction != MeasureDirection::writes) requests += row.intervals[i].reads.requests;
            if (direction != MeasureDirection::reads) requests += row.intervals[i].writes.requests;
        }
        const double per_second = static_cast<double>(requests) * 1000 / interval_ms;
        sum += per_second;
        squares += per_second * per_second;
    }
    const auto count = static_cast<double>(whole);
    return std::sqrt(std::max(0.0, squares / count - (sum / count) * (sum / count)));
}

}  // namespace sim
