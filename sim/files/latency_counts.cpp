#include "sim/files/latency_counts.hpp"

#include <algorithm>
#include <cmath>

#include "sim/files/latency_histogram.hpp"

namespace sim {

namespace {

// Before the buckets of LatencyHistogram: its first one would hold all shorter times, of which copies in memory have many.
constexpr std::uint32_t kShortBuckets = 64;
constexpr std::uint32_t kShortBits = 3;
static_assert(kShortBuckets << kShortBits == 1U << kLatencyFirstBits);
constexpr std::uint32_t kCountsBuckets = kShortBuckets + kLatencyBuckets;

std::uint32_t counts_bucket(std::uint64_t duration_ns) {
    if (duration_ns >= std::uint64_t{1} << kLatencyFirstBits) return kShortBuckets + latency_bucket(duration_ns);
    return static_cast<std::uint32_t>(duration_ns >> kShortBits);
}

LatencyRange counts_range(std::uint32_t bucket) {
    if (bucket >= kShortBuckets) return latency_range(bucket - kShortBuckets);
    const std::uint64_t low_ns = std::uint64_t{bucket} << kShortBits;
    return {low_ns, low_ns + (std::uint64_t{1} << kShortBits)};
}

}  // namespace

std::uint64_t percentile_rank(std::uint64_t count, double percent) {
    // In long double: with 10^15 requests, nine nines are still a whole rank.
    const auto wanted = std::ceil(static_cast<long double>(count) * static_cast<long double>(percent) / 100 - 1e-9L);
    return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1, count);
}

void LatencyCounts::add(std::uint64_t duration_ns) {
    if (counts_.empty()) counts_.resize(kCountsBuckets);
    ++counts_[counts_bucket(duration_ns)];
    ++count_;
    total_ns_ += duration_ns;
    min_ns_ = std::min(min_ns_, duration_ns);
    max_ns_ = std::max(max_ns_, duration_ns);
    const double duration_us = static_cast<double>(duration_ns) / 1000;
    squares_us_ += duration_us * duration_us;
}

void LatencyCounts::merge(const LatencyCounts& other) {
    if (other.count_ == 0) return;
    if (counts_.empty()) counts_.resize(kCountsBuckets);
    for (std::size_t i = 0; i < kCountsBuckets; ++i) counts_[i] += other.counts_[i];
    count_ += other.count_;
    total_ns_ += other.total_ns_;
    min_ns_ = std::min(min_ns_, other.min_ns_);
    max_ns_ = std::max(max_ns_, other.max_ns_);
    squares_us_ += other.squares_us_;
}

void LatencyCounts::merge(const LatencyHistogram& other) {
    for (std::uint32_t octave = 0; octave < kLatencyOctaves; ++octave) {
        const auto* const steps = other.octaves_[octave].load(std::memory_order_acquire);
        if (steps == nullptr) continue;
        if (counts_.empty()) counts_.resize(kCountsBuckets);
        for (std::uint32_t step = 0; step < kLatencySteps; ++step) {
            const std::uint64_t count = (*steps)[step].value();
            counts_[kShortBuckets + octave * kLatencySteps + step] += count;
            count_ += count;
        }
    }
    total_ns_ += other.total_ns_.value();
    min_ns_ = std::min(min_ns_, other.min_ns_.load(std::memory_order_relaxed));
    max_ns_ = std::max(max_ns_, other.max_ns_.value());
    squares_us_ += other.squares_us_.load(std::memory_order_relaxed);
}

LatencyCounts LatencyCounts::from(const LatencyResult& result) {
    LatencyCounts counts;
    if (result.count == 0) return counts;
    counts.counts_.resize(kCountsBuckets);
    for (const LatencyBucket& bucket : result.buckets) counts.counts_[counts_bucket(bucket.low_ns)] += bucket.count;
    counts.count_ = result.count;
    counts.total_ns_ = result.total_ns;
    counts.min_ns_ = result.min_ns;
    counts.max_ns_ = result.max_ns;
    const double deviation_us = result.deviation_ns / 1000;
    const double mean_us = result.mean_ns / 1000;
    counts.squares_us_ = (deviation_us * deviation_us + mean_us * mean_us) * static_cast<double>(result.count);
    return counts;
}

double LatencyCounts::mean_ns() const { return count_ == 0 ? 0 : static_cast<double>(total_ns_) / static_cast<double>(count_); }

double LatencyCounts::deviation_ns() const {
    if (count_ == 0) return 0;
    const double mean_us = mean_ns() / 1000;
    return std::sqrt(std::max(0.0, squares_us_ / static_cast<double>(count_) - mean_us * mean_us)) * 1000;
}

std::uint64_t LatencyCounts::percentile_ns(double percent) const {
    if (count_ == 0) return 0;
    if (percent <= 0) return min_ns_;
    const std::uint64_t rank = percentile_rank(count_, percent);
    if (rank == count_) return max_ns_;
    std::uint64_t passed = 0;
    for (std::uint32_t bucket = 0; bucket < kCountsBuckets; ++bucket) {
        passed += counts_[bucket];
        if (passed < rank) continue;
        const LatencyRange range = counts_range(bucket);
        return std::clamp((range.low_ns + range.high_ns) / 2, min_ns_, max_ns_);
    }
    return max_ns_;
}

std::vector<LatencyBucket> LatencyCounts::buckets() const {
    std::vector<LatencyBucket> buckets;
    for (std::uint32_t bucket = 0; bucket < counts_.size(); ++bucket) {
        if (counts_[bucket] == 0) continue;
        const LatencyRange range = counts_range(bucket);
        buckets.push_back({range.low_ns, range.high_ns, counts_[bucket]});
    }
    return buckets;
}

LatencyResult LatencyCounts::result() const {
    LatencyResult result;
    if (count_ == 0) return result;
    result.count = count_;
    result.total_ns = total_ns_;
    result.min_ns = min_ns_;
    result.max_ns = max_ns_;
    result.mean_ns = mean_ns();
    result.deviation_ns = deviation_ns();
    for (std::size_t i = 0; i < kLatencyPercents.size(); ++i) result.percentiles_ns[i] = percentile_ns(kLatencyPercents[i]);
    result.buckets = buckets();
    return result;
}

}  // namespace sim
