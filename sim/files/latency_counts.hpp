// A latency histogram as plain data, and its statistics: constant size, exact when merged, with the buckets of LatencyHistogram, and below
// them buckets of 8 ns: up to 1000 s within 1 % or 4 ns. One thread at a time. Memory (16 KB) is allocated with the first request.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/latency_result.hpp"

namespace sim {

class LatencyHistogram;

// Which of `count` requests, the shortest being the first, has the time that `percent` of them did not exceed (nearest rank), for any
// percent from 0 to 100, including nine nines and more. `count` is at least 1.
[[nodiscard]] std::uint64_t percentile_rank(std::uint64_t count, double percent);

class LatencyCounts {
public:
    void add(std::uint64_t duration_ns);
    // As if all requests of `other` had been added here. A histogram may be in use: what it has at this moment.
    void merge(const LatencyCounts& other);
    void merge(const LatencyHistogram& other);
    // From the buckets in a document (LatencyResult::buckets) and the figures that buckets do not give.
    static LatencyCounts from(const LatencyResult& result);

    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] std::uint64_t total_ns() const { return total_ns_; }
    [[nodiscard]] std::uint64_t min_ns() const { return count_ == 0 ? 0 : min_ns_; }  // exact; 0 without requests, like all below
    [[nodiscard]] std::uint64_t max_ns() const { return max_ns_; }                    // exact
    [[nodiscard]] double mean_ns() const;                                             // exact
    [[nodiscard]] double deviation_ns() const;                                        // standard deviation of the requests
    // The smallest time that `percent` of the requests did not exceed (nearest rank), for any percent from 0 (min) to 100 (max), including
    // nine nines and more.
    [[nodiscard]] std::uint64_t percentile_ns(double percent) const;
    // The buckets that are not empty, ascending.
    [[nodiscard]] std::vector<LatencyBucket> buckets() const;
    [[nodiscard]] LatencyResult result() const;

    friend bool operator==(const LatencyCounts&, const LatencyCounts&) = default;

private:
    std::vector<std::uint64_t> counts_;
    std::uint64_t count_ = 0;
    std::uint64_t total_ns_ = 0;
    std::uint64_t min_ns_ = ~std::uint64_t{0};
    std::uint64_t max_ns_ = 0;
    double squares_us_ = 0;
};

}  // namespace sim
