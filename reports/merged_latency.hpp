// Adds the latencies of several runs, as if one run had measured them all. A results file holds every non-empty bucket of a run's
// histogram, so count, sum, minimum and maximum are exact, and percentiles are those of a single histogram of all requests. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace reports {

class MergedLatency {
public:
    // `latency`: of one class of requests, as in docs/results.schema.json. If it cannot be added exactly, adds nothing, and returns a
    // sentence that says why.
    [[nodiscard]] std::optional<std::string> add(const nlohmann::ordered_json& latency);

    [[nodiscard]] std::uint64_t count() const { return count_; }
    // The sum in the same form, with buckets.
    [[nodiscard]] nlohmann::ordered_json json() const;

private:
    [[nodiscard]] std::uint64_t percentile_ns(double percent) const;

    struct Bucket {
        std::uint64_t high_ns = 0;
        std::uint64_t count = 0;
    };
    std::map<std::uint64_t, Bucket> buckets_;  // by low_ns
    std::uint64_t count_ = 0;
    std::uint64_t total_ns_ = 0;
    std::uint64_t min_ns_ = ~std::uint64_t{0};
    std::uint64_t max_ns_ = 0;
    double squares_ns_ = 0;  // sum of squares, in ns^2
};

}  // namespace reports
