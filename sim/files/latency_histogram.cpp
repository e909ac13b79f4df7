#include "sim/files/latency_histogram.hpp"

#include <algorithm>
#include <bit>

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

}  // namespace sim
