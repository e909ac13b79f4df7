#include "reports/merged_latency.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "sim/files/latency_counts.hpp"
#include "sim/latency_result.hpp"

namespace reports {

namespace {

using Json = nlohmann::ordered_json;

// In every version of the program, each power of two has 64 buckets of the same width; other buckets cannot be added.
bool is_bucket(std::uint64_t low_ns, std::uint64_t high_ns) {
    constexpr std::uint64_t kSteps = 64;
    if (low_ns < kSteps) return false;
    const std::uint64_t width_ns = std::bit_floor(low_ns) / kSteps;
    return low_ns % width_ns == 0 && high_ns == low_ns + width_ns;
}

std::optional<std::string> problem_of(const Json& latency) {
    std::uint64_t count = 0;
    for (const Json& bucket : latency["buckets_ns"]) {
        const auto low_ns = bucket[0].get<std::uint64_t>();
        const auto high_ns = bucket[1].get<std::uint64_t>();
        if (!is_bucket(low_ns, high_ns)) return fmt::format("its bucket from {} to {} ns is not one of ioproof's", low_ns, high_ns);
        count += bucket[2].get<std::uint64_t>();
    }
    const auto wanted = latency["count"].get<std::uint64_t>();
    if (count != wanted) return fmt::format("its buckets hold {} requests of {}", count, wanted);
    const auto min_ns = latency["min_ns"].get<std::uint64_t>();
    const auto max_ns = latency["max_ns"].get<std::uint64_t>();
    if (min_ns > max_ns) return fmt::format("its shortest request took {} ns, and its longest {} ns", min_ns, max_ns);
    return std::nullopt;
}

}  // namespace

std::optional<std::string> MergedLatency::add(const Json& latency) {
    if (auto problem = problem_of(latency)) return problem;
    const auto count = latency["count"].get<std::uint64_t>();
    if (count == 0) return std::nullopt;
    for (const Json& each : latency["buckets_ns"]) {
        Bucket& bucket = buckets_[each[0].get<std::uint64_t>()];
        bucket.high_ns = each[1].get<std::uint64_t>();
        bucket.count += each[2].get<std::uint64_t>();
    }
    count_ += count;
    total_ns_ += latency["total_ns"].get<std::uint64_t>();
    min_ns_ = std::min(min_ns_, latency["min_ns"].get<std::uint64_t>());
    max_ns_ = std::max(max_ns_, latency["max_ns"].get<std::uint64_t>());
    const auto mean_ns = latency["mean_ns"].get<double>();
    const auto deviation_ns = latency["deviation_ns"].get<double>();
    squares_ns_ += static_cast<double>(count) * (mean_ns * mean_ns + deviation_ns * deviation_ns);
    return std::nullopt;
}

// As in the run's own histogram: the middle of the bucket.
std::uint64_t MergedLatency::percentile_ns(double percent) const {
    const std::uint64_t rank = sim::percentile_rank(count_, percent);
    if (rank == count_) return max_ns_;
    std::uint64_t passed = 0;
    for (const auto& [low_ns, bucket] : buckets_) {
        passed += bucket.count;
        if (passed >= rank) return std::clamp((low_ns + bucket.high_ns) / 2, min_ns_, max_ns_);
    }
    return max_ns_;
}

Json MergedLatency::json() const {
    const bool is_empty = count_ == 0;
    const double mean_ns = is_empty ? 0 : static_cast<double>(total_ns_) / static_cast<double>(count_);
    const double variance = is_empty ? 0 : squares_ns_ / static_cast<double>(count_) - mean_ns * mean_ns;
    Json percentiles = Json::array();
    for (const double percent : sim::kLatencyPercents) percentiles.push_back({percent, is_empty ? 0 : percentile_ns(percent)});
    Json buckets = Json::array();
    for (const auto& [low_ns, bucket] : buckets_) buckets.push_back({low_ns, bucket.high_ns, bucket.count});
    return {{"count", count_},
            {"total_ns", total_ns_},
            {"mean_ns", mean_ns},
            {"deviation_ns", std::sqrt(std::max(0.0, variance))},
            {"min_ns", is_empty ? 0 : min_ns_},
            {"max_ns", max_ns_},
            {"percentiles_ns", std::move(percentiles)},
            {"buckets_ns", std::move(buckets)}};
}

}  // namespace reports
