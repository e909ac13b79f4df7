// How long requests took, at any scale from 1 us to 1000 s with an error below 1 %, in memory that does not grow with their number.
//
// Log-linear buckets: every power of two of nanoseconds (an octave) has 64 buckets of equal width, 1/64 of the octave's start. The middle
// of a bucket is therefore off by at most 1/128, 0.8 %. An octave's buckets (512 bytes) are allocated when the first request falls into it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "sim/results.hpp"
#include "ums/base/local_counter.hpp"

namespace sim {

inline constexpr std::uint32_t kLatencySteps = 64;
inline constexpr std::uint32_t kLatencyFirstBits = 9;  // 2^9 ns; shorter ones are in the first bucket
inline constexpr std::uint32_t kLatencyOctaves = kCoarseLatencyBuckets;
inline constexpr std::uint32_t kLatencyBuckets = kLatencyOctaves * kLatencySteps;

struct LatencyRange {
    std::uint64_t low_ns = 0;
    std::uint64_t high_ns = 0;
};

// The bucket that a duration falls into, and what a bucket holds. Pure.
[[nodiscard]] std::uint32_t latency_bucket(std::uint64_t duration_ns);
[[nodiscard]] LatencyRange latency_range(std::uint32_t bucket);

// One thread adds; any thread may look at any time, and sees each figure as it is at that moment.
class LatencyHistogram {
public:
    LatencyHistogram() = default;
    ~LatencyHistogram();
    LatencyHistogram(const LatencyHistogram&) = delete;
    LatencyHistogram& operator=(const LatencyHistogram&) = delete;

    void add(std::uint64_t duration_ns);

    [[nodiscard]] std::uint64_t total_ns() const { return total_ns_.value(); }
    // Requests of one octave.
    [[nodiscard]] std::uint64_t octave_count(std::uint32_t octave) const { return octave_counts_[octave].value(); }

private:
    friend class LatencyCounts;
    using Octave = std::array<ums::LocalCounter, kLatencySteps>;

    Octave& make_octave(std::uint32_t octave);

    ums::LocalCounter total_ns_;
    ums::LocalCounter max_ns_;
    std::atomic<std::uint64_t> min_ns_{~std::uint64_t{0}};
    std::atomic<double> squares_us_{0};  // sum of squares, in us^2
    std::array<ums::LocalCounter, kLatencyOctaves> octave_counts_;
    std::array<std::atomic<Octave*>, kLatencyOctaves> octaves_{};
};

}  // namespace sim
