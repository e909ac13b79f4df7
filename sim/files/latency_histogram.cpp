#include "sim/files/latency_histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace sim {

namespace {

constexpr std::uint32_t kStepBits = 6;
static_assert(1U << kStepBits == kLatencySteps);
constexpr std::uint64_t kLowestNs = std::uint64_t{1} << kLatencyFirstBits;
constexpr std::uint64_t kHighestNs = (kLowestNs << kLatencyOctaves) - 1;
static_assert(kHighestNs >= 1'000'000'000'000);  // 1000 s

}  // namespace

std::uint32_t latency_bucket(std::uint64_t duration_ns) {
    const std::uint64_t ns = std::clamp(duration_ns, kLowestNs, kHighestNs);
    const auto bits = static_cast<std::uint32_t>(std::bit_width(ns)) - 1;
    const auto step = static_cast<std::uint32_t>(ns >> (bits - kStepBits)) & (kLatencySteps - 1);
    return (bits - kLatencyFirstBits) * kLatencySteps + step;
}

LatencyRange latency_range(std::uint32_t bucket) {
    const std::uint32_t shift = bucket / kLatencySteps + kLatencyFirstBits - kStepBits;
    const std::uint64_t low = std::uint64_t{kLatencySteps + bucket % kLatencySteps} << shift;
    return {low, low + (std::uint64_t{1} << shift)};
}

LatencyHistogram::~LatencyHistogram() {
    for (auto& octave : octaves_) delete octave.load(std::memory_order_relaxed);
}

LatencyHistogram::Octave& LatencyHistogram::make_octave(std::uint32_t octave) {
    auto* const made = new Octave();
    octaves_[octave].store(made, std::memory_order_release);
    return *made;
}

void LatencyHistogram::add(std::uint64_t duration_ns) {
    const std::uint32_t bucket = latency_bucket(duration_ns);
    const std::uint32_t octave = bucket / kLatencySteps;
    Octave* const steps = octaves_[octave].load(std::memory_order_relaxed);
    (steps != nullptr ? *steps : make_octave(octave))[bucket % kLatencySteps].add(1);
    octave_counts_[octave].add(1);
    total_ns_.add(duration_ns);
    max_ns_.raise_to(duration_ns);
    if (duration_ns < min_ns_.load(std::memory_order_relaxed)) min_ns_.store(duration_ns, std::memory_order_relaxed);
    const double duration_us = static_cast<double>(duration_ns) / 1000;
    squares_us_.store(squares_us_.load(std::memory_order_relaxed) + duration_us * duration_us, std::memory_order_relaxed);
}

void LatencySum::add(const LatencyHistogram& histogram) {
    for (std::uint32_t octave = 0; octave < kLatencyOctaves; ++octave) {
        const auto* const steps = histogram.octaves_[octave].load(std::memory_order_acquire);
        if (steps == nullptr) continue;
        for (std::uint32_t step = 0; step < kLatencySteps; ++step) {
            const std::uint64_t count = (*steps)[step].value();
            counts_[octave * kLatencySteps + step] += count;
            count_ += count;
        }
    }
    total_ns_ += histogram.total_ns_.value();
    min_ns_ = std::min(min_ns_, histogram.min_ns_.load(std::memory_order_relaxed));
    max_ns_ = std::max(max_ns_, histogram.max_ns_.value());
    squares_us_ += histogram.squares_us_.load(std::memory_order_relaxed);
}

std::uint64_t LatencySum::percentile_ns(double percent) const {
    // In long double: with 10^15 requests eight nines are still a whole rank.
    const auto wanted = std::ceil(static_cast<long double>(count_) * static_cast<long double>(percent) / 100 - 1e-9L);
    const std::uint64_t rank = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1, count_);
    if (rank == count_) return max_ns_;
    std::uint64_t passed = 0;
    for (std::uint32_t bucket = 0; bucket < kLatencyBuckets; ++bucket) {
        passed += counts_[bucket];
        if (passed < rank) continue;
        const LatencyRange range = latency_range(bucket);
        return std::clamp((range.low_ns + range.high_ns) / 2, min_ns_, max_ns_);
    }
    return max_ns_;
}

LatencyResult LatencySum::result() const {
    LatencyResult result;
    if (count_ == 0) return result;
    result.count = count_;
    result.total_ns = total_ns_;
    result.min_ns = min_ns_;
    result.max_ns = max_ns_;
    const auto count = static_cast<double>(count_);
    result.mean_ns = static_cast<double>(total_ns_) / count;
    const double mean_us = result.mean_ns / 1000;
    result.deviation_ns = std::sqrt(std::max(0.0, squares_us_ / count - mean_us * mean_us)) * 1000;
    for (std::size_t i = 0; i < kLatencyPercents.size(); ++i) result.percentiles_ns[i] = percentile_ns(kLatencyPercents[i]);
    for (std::uint32_t bucket = 0; bucket < kLatencyBuckets; ++bucket) {
        if (counts_[bucket] == 0) continue;
        const LatencyRange range = latency_range(bucket);
        result.buckets.push_back({range.low_ns, range.high_ns, counts_[bucket]});
    }
    return result;
}

}  // namespace sim
