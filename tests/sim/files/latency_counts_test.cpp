#include "sim/files/latency_counts.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/seed.hpp"
#include "ums/base/prng.hpp"

using sim::LatencyCounts;

TEST_CASE("without requests every figure is 0") {
    const LatencyCounts counts;
    CHECK(counts.count() == 0);
    CHECK(counts.min_ns() == 0);
    CHECK(counts.percentile_ns(99.9999999) == 0);
    CHECK(counts.deviation_ns() == 0);
    CHECK(counts.buckets().empty());
}

TEST_CASE("mean, deviation, minimum and maximum are exact, percentiles within one percent") {
    LatencyCounts counts;
    std::vector<std::uint64_t> times;
    ums::Prng prng(ums::testing::test_seed(__FILE__));
    double sum = 0;
    for (int i = 0; i < 20'000; ++i) {
        times.push_back(prng.between(2'000, 50'000'000));
        counts.add(times.back());
        sum += static_cast<double>(times.back());
    }
    std::sort(times.begin(), times.end());
    const double mean = sum / 20'000;
    double squares = 0;
    for (const auto time : times) squares += (static_cast<double>(time) - mean) * (static_cast<double>(time) - mean);
    CHECK(std::abs(counts.mean_ns() - mean) < 1);
    CHECK(std::abs(counts.deviation_ns() / std::sqrt(squares / 20'000) - 1) < 1e-6);
    CHECK(counts.min_ns() == times.front());
    CHECK(counts.max_ns() == times.back());
    for (const double percent : {25.0, 50.0, 99.0, 99.9}) {
        const auto right = static_cast<double>(times[static_cast<std::size_t>(std::ceil(20'000 * percent / 100)) - 1]);
        CHECK(std::abs(static_cast<double>(counts.percentile_ns(percent)) / right - 1) < 0.01);
    }
    CHECK(counts.percentile_ns(0) == times.front());
    CHECK(counts.percentile_ns(100) == times.back());
}

TEST_CASE("percentiles of times below a microsecond, as of copies in memory, are within a percent or 4 ns") {
    LatencyCounts counts;
    for (std::uint64_t time = 1; time <= 1000; ++time) counts.add(time);
    for (const double percent : {1.0, 10.0, 25.0, 40.0, 50.0, 51.0, 52.0, 75.0, 99.0}) {
        INFO(percent);
        const double right = percent * 10;
        CHECK(std::abs(static_cast<double>(counts.percentile_ns(percent)) - right) <= std::max(4.0, right * 0.01));
    }
    std::uint64_t sum = 0;
    for (const sim::LatencyBucket& bucket : counts.buckets()) {
        CHECK(bucket.count <= bucket.high_ns - bucket.low_ns);
        sum += bucket.count;
    }
    CHECK(sum == 1000);
    CHECK(LatencyCounts::from(counts.result()).percentile_ns(25) == counts.percentile_ns(25));
}

TEST_CASE("nine nines show one request in a billion") {
    LatencyCounts counts;
    for (int i = 0; i < 1000; ++i) counts.add(10'000);
    LatencyCounts many = counts;
    for (int i = 0; i < 21; ++i) many.merge(LatencyCounts(many));  // 2^21 * 1000 requests: two billion
    many.add(5'000'000);
    many.add(6'000'000);
    CHECK(many.count() == 2'097'152'002);
    CHECK(many.percentile_ns(99.99999) < 11'000);
    CHECK(many.percentile_ns(99.9999999) < 11'000);  // rank 2,097,152,000: the last quick one
    many.add(7'000'000);
    many.add(8'000'000);
    CHECK(std::abs(static_cast<double>(many.percentile_ns(99.9999999)) / 6'000'000 - 1) < 0.01);  // rank 2,097,152,002
}

TEST_CASE("merged counts equal those of all requests together") {
    ums::Prng prng(ums::testing::test_seed(__FILE__));
    LatencyCounts all;
    LatencyCounts parts[4];
    for (int i = 0; i < 5'000; ++i) {
        const std::uint64_t time = prng.between(500, 2'000'000);
        all.add(time);
        parts[prng.below(4)].add(time);
    }
    LatencyCounts merged;
    for (const LatencyCounts& part : parts) merged.merge(part);
    CHECK(merged.count() == all.count());
    CHECK(merged.total_ns() == all.total_ns());
    CHECK(merged.min_ns() == all.min_ns());
    CHECK(merged.max_ns() == all.max_ns());
    for (const double percent : {1.0, 50.0, 99.0, 99.99}) CHECK(merged.percentile_ns(percent) == all.percentile_ns(percent));
    const LatencyCounts again = LatencyCounts::from(merged.result());
    CHECK(again.percentile_ns(99) == all.percentile_ns(99));
    CHECK(again.count() == all.count());
    CHECK(std::abs(again.deviation_ns() / all.deviation_ns() - 1) < 1e-6);
}
