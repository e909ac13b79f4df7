#include "sim/files/latency_histogram.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "sim/files/latency_counts.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/seed.hpp"
#include "ums/base/prng.hpp"
#include "ums/base/units.hpp"

using sim::LatencyCounts;
using sim::LatencyHistogram;
using sim::LatencyResult;

namespace {

LatencyResult result_of(const std::vector<std::uint64_t>& durations_ns) {
    LatencyHistogram histogram;
    for (const std::uint64_t duration_ns : durations_ns) histogram.add(duration_ns);
    LatencyCounts sum;
    sum.merge(histogram);
    return sum.result();
}

// The nearest-rank percentile, by sorting.
std::uint64_t exact_percentile(const std::vector<std::uint64_t>& sorted, double percent) {
    const auto rank = static_cast<std::size_t>(std::ceil(static_cast<double>(sorted.size()) * percent / 100 - 1e-9));
    return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

bool is_within_one_percent(std::uint64_t value, std::uint64_t exact) {
    return std::abs(static_cast<double>(value) - static_cast<double>(exact)) <= 0.01 * static_cast<double>(exact);
}

// Spread evenly on a logarithmic scale from 1 us to 1000 s.
std::vector<std::uint64_t> random_durations(ums::Prng& prng, std::size_t count) {
    std::vector<std::uint64_t> durations;
    for (std::size_t i = 0; i < count; ++i) {
        const double exponent = 3.0 + 9.0 * static_cast<double>(prng.below(1'000'000)) / 1'000'000;
        durations.push_back(static_cast<std::uint64_t>(std::pow(10.0, exponent)));
    }
    return durations;
}

}  // namespace

TEST_CASE("buckets adjoin without gaps, and none is wider than 1/64 of its lower bound") {
    for (std::uint32_t bucket = 0; bucket < sim::kLatencyBuckets; ++bucket) {
        const sim::LatencyRange range = sim::latency_range(bucket);
        REQUIRE(sim::latency_bucket(range.low_ns) == bucket);
        REQUIRE(sim::latency_bucket(range.high_ns - 1) == bucket);
        REQUIRE((range.high_ns - range.low_ns) * 64 <= range.low_ns);
        if (bucket + 1 < sim::kLatencyBuckets) REQUIRE(sim::latency_range(bucket + 1).low_ns == range.high_ns);
    }
    CHECK(sim::latency_range(0).low_ns <= ums::kNsPerUs);
    CHECK(sim::latency_range(sim::kLatencyBuckets - 1).high_ns >= 1000 * ums::kNsPerSecond);
}

TEST_CASE("a single duration from 1 us to 1000 s is reported exactly, one between two others within one percent") {
    for (std::uint64_t ns = ums::kNsPerUs; ns <= 1000 * ums::kNsPerSecond; ns += ns / 97 + 1) {
        const LatencyResult alone = result_of({ns});
        REQUIRE(alone.percentiles_ns[0] == ns);
        const LatencyResult result = result_of({1, ns, ns, 2000 * ums::kNsPerSecond});
        REQUIRE(is_within_one_percent(result.percentiles_ns[1], ns));
    }
}

TEST_CASE("percentiles of random durations are within one percent of the exact ones") {
    ums::Prng prng(ums::testing::test_seed("latency histogram"));
    for (const std::size_t count : {1U, 2U, 7U, 100U, 1000U, 200'000U}) {
        std::vector<std::uint64_t> durations = random_durations(prng, count);
        const LatencyResult result = result_of(durations);
        std::sort(durations.begin(), durations.end());
        for (std::size_t i = 0; i < sim::kLatencyPercents.size(); ++i) {
            INFO("percent " << sim::kLatencyPercents[i] << " of " << count);
            CHECK(is_within_one_percent(result.percentiles_ns[i], exact_percentile(durations, sim::kLatencyPercents[i])));
        }
        CHECK(result.count == count);
        CHECK(result.min_ns == durations.front());
        CHECK(result.max_ns == durations.back());
        CHECK(result.total_ns == std::accumulate(durations.begin(), durations.end(), std::uint64_t{0}));
    }
}

TEST_CASE("mean and standard deviation are those of the requests") {
    const LatencyResult result = result_of({2 * ums::kNsPerUs, 4 * ums::kNsPerUs, 4 * ums::kNsPerUs, 4 * ums::kNsPerUs, 5 * ums::kNsPerUs,
                                            5 * ums::kNsPerUs, 7 * ums::kNsPerUs, 9 * ums::kNsPerUs});
    CHECK(std::abs(result.mean_ns - 5000) < 0.001);
    CHECK(std::abs(result.deviation_ns - 2000) < 0.001);
}

TEST_CASE("the same durations give the same result, in one histogram or in several merged ones") {
    ums::Prng prng(ums::testing::test_seed("latency histogram"));
    const std::vector<std::uint64_t> durations = random_durations(prng, 10'000);
    std::vector<LatencyHistogram> parts(3);
    for (const std::uint64_t duration_ns : durations) parts[prng.below(3)].add(duration_ns);
    LatencyCounts sum;
    for (const LatencyHistogram& part : parts) sum.merge(part);
    const LatencyResult split = sum.result();
    const LatencyResult whole = result_of(durations);
    CHECK(split.count == whole.count);
    CHECK(split.total_ns == whole.total_ns);
    CHECK(split.min_ns == whole.min_ns);
    CHECK(split.max_ns == whole.max_ns);
    CHECK(split.percentiles_ns == whole.percentiles_ns);
    CHECK(std::abs(split.deviation_ns - whole.deviation_ns) < 1e-6 * whole.deviation_ns);
    REQUIRE(split.buckets.size() == whole.buckets.size());
    for (std::size_t i = 0; i < split.buckets.size(); ++i) CHECK(split.buckets[i].count == whole.buckets[i].count);
}

TEST_CASE("without requests there are no figures") {
    const LatencyResult result = result_of({});
    CHECK(result.count == 0);
    CHECK(result.min_ns == 0);
    CHECK(result.max_ns == 0);
    CHECK(result.mean_ns == 0);
    CHECK(result.deviation_ns == 0);
    CHECK(result.percentiles_ns == std::array<std::uint64_t, sim::kLatencyPercents.size()>{});
    CHECK(result.buckets.empty());
}

TEST_CASE("buckets are reported in ascending order, without empty ones, and cover every request") {
    const LatencyResult result = result_of({0, 300, 5 * ums::kNsPerUs, 5 * ums::kNsPerUs, 3 * ums::kNsPerSecond, ~std::uint64_t{0} / 4});
    REQUIRE(result.buckets.size() == 4);
    CHECK(result.buckets[0].count == 2);
    CHECK(result.buckets[1].count == 2);
    CHECK(result.buckets[1].low_ns <= 5 * ums::kNsPerUs);
    CHECK(result.buckets[1].high_ns > 5 * ums::kNsPerUs);
    CHECK(result.buckets[2].count == 1);
    CHECK(result.buckets[3].count == 1);
    CHECK(result.min_ns == 0);
}
