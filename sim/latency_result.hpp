// How long the requests of one kind took. Plain data, in nanoseconds: a storage in memory answers in less than a microsecond.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sim {

// Operations are distinguished as in SQLIOSim: one page, several pages; and, because a commit waits for them, flushes of the log.
enum class IoClass : std::uint8_t { read, scatter_read, write, gather_write, log_flush };

inline constexpr std::size_t kIoClassCount = 5;

// "read", "scatter_read", …
std::string_view name_of(IoClass io_class);

// The percentiles that are reported, in percent: quartiles, the usual ones, and three to eight nines.
inline constexpr std::array<double, 12> kLatencyPercents{25, 50, 75, 90, 95, 99, 99.9, 99.99, 99.999, 99.9999, 99.99999, 99.999999};

// Requests that took at least low_ns and less than high_ns; high_ns is at most 1.6 % above low_ns.
struct LatencyBucket {
    std::uint64_t low_ns = 0;
    std::uint64_t high_ns = 0;
    std::uint64_t count = 0;
};

// All 0 if there was no request. Count, mean, min and max are exact, percentiles are within 1 % (from 1 us to 1000 s).
struct LatencyResult {
    std::uint64_t count = 0;
    std::uint64_t total_ns = 0;
    std::uint64_t min_ns = 0;
    std::uint64_t max_ns = 0;
    double mean_ns = 0;
    double deviation_ns = 0;  // standard deviation of the requests
    // The smallest time that this percentage of the requests did not exceed (nearest rank), in the order of kLatencyPercents.
    std::array<std::uint64_t, kLatencyPercents.size()> percentiles_ns{};
    std::vector<LatencyBucket> buckets;  // those that are not empty, ascending
};

}  // namespace sim
