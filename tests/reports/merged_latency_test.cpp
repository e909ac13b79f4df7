// Merged latencies of several runs.
#include "reports/merged_latency.hpp"

#include <nlohmann/json.hpp>

#include "reports/results_json.hpp"
#include "sim/files/latency_counts.hpp"
#include "sim/files/latency_histogram.hpp"
#include "tests/reports/example_results.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/seed.hpp"
#include "ums/base/prng.hpp"

using Json = nlohmann::ordered_json;

namespace {

Json histogram_document(const sim::LatencyHistogram& histogram) {
    sim::LatencyCounts sum;
    sum.merge(histogram);
    sim::Results results = example_results();
    results.files.resize(1);
    results.files[0].latency[0] = sum.result();
    return reports::results_document(results, {})["files"][0]["latency"]["read"];
}

}  // namespace

TEST_CASE("merged latencies of several runs equal one histogram of all requests, to the last percentile") {
    ums::Prng prng(ums::testing::test_seed("merged latency"));
    sim::LatencyHistogram all;
    reports::MergedLatency merged;
    for (int run = 0; run < 5; ++run) {
        sim::LatencyHistogram histogram;
        const std::uint64_t scale_ns = std::uint64_t{200} << prng.below(24);
        for (std::uint64_t i = prng.between(1, 5000); i > 0; --i) {
            const std::uint64_t duration_ns = prng.between(1, scale_ns);
            histogram.add(duration_ns);
            all.add(duration_ns);
        }
        CHECK_FALSE(merged.add(histogram_document(histogram)));
    }
    const Json whole = histogram_document(all);
    const Json json = merged.json();
    for (const char* key : {"count", "total_ns", "min_ns", "max_ns", "percentiles_ns", "buckets_ns"}) {
        INFO(key);
        CHECK(json[key] == whole[key]);
    }
    CHECK(json["mean_ns"].get<double>() == Approx(whole["mean_ns"].get<double>()));
    CHECK(json["deviation_ns"].get<double>() == Approx(whole["deviation_ns"].get<double>()));
}

TEST_CASE("runs without requests add nothing") {
    reports::MergedLatency merged;
    CHECK_FALSE(merged.add(histogram_document(sim::LatencyHistogram())));
    CHECK(merged.json() == histogram_document(sim::LatencyHistogram()));
}

TEST_CASE("buckets that are not ioproof's or do not hold all requests, and a shortest request above the longest, change nothing") {
    sim::LatencyHistogram histogram;
    histogram.add(1'000'000);
    histogram.add(3'000'000);
    const Json good = histogram_document(histogram);
    reports::MergedLatency merged;
    REQUIRE_FALSE(merged.add(good));
    const Json before = merged.json();
    Json coarse = good;
    coarse["buckets_ns"][0][1] = coarse["buckets_ns"][0][1].get<std::uint64_t>() + 1;
    CHECK_THAT(merged.add(coarse).value(), ContainsSubstring("not one of ioproof's"));
    Json fewer = good;
    fewer["buckets_ns"].erase(1);
    CHECK_THAT(merged.add(fewer).value(), ContainsSubstring("its buckets hold 1 requests of 2"));
    Json reversed = good;
    reversed["min_ns"] = 4'000'000;
    CHECK_THAT(merged.add(reversed).value(), ContainsSubstring("its shortest request took 4000000 ns, and its longest 3000000 ns"));
    CHECK(merged.json() == before);
}
