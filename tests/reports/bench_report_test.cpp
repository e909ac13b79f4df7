#include "reports/bench_report.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"

namespace {

sim::BenchResults example_bench() {
    sim::BenchResults results;
    results.options.files = {"/data/a \"b\".mdx"};
    results.engine = "uring";
    results.duration_ns = 2'000'000'000;
    results.requests = 1000;
    results.bytes = 8'192'000;
    results.pages_verified = 990;
    results.latency_mean_us = 40;
    results.cpu_user_us = 300;
    results.cpu_system_us = 700;
    return results;
}

}  // namespace

TEST_CASE("figures of a measurement are rates over its time and CPU over its requests") {
    const std::string text = reports::bench_text(example_bench());
    CHECK_THAT(text, ContainsSubstring("random reads of 8 KB, depth 32, 1 CPU, engine uring"));
    CHECK_THAT(text, ContainsSubstring("500 /s, 3.9 MB/s, mean latency 40 us"));
    CHECK_THAT(text, ContainsSubstring("1000 ns a request, 0 % of one CPU"));
    CHECK_THAT(text, ContainsSubstring("990 pages"));
    const auto json = reports::bench_json(example_bench());
    CHECK(json["files"][0] == "/data/a \"b\".mdx");
    CHECK(json["requests_per_s"] == 500.0);
    CHECK(json["cpu_ns_per_request"] == 1000.0);
    CHECK(json["text_report"] == text);
}

TEST_CASE("errors of a measurement appear in its figures") {
    sim::BenchResults results = example_bench();
    results.finding_count = 2;
    results.stopped = true;
    results.failure_reason = "a.mdx: gone";
    results.options.operation = sim::BenchOperation::write;
    results.options.verify = false;
    CHECK_THAT(reports::bench_text(results), ContainsSubstring("WRONG           2") && ContainsSubstring("stopped before its end") &&
                                                 ContainsSubstring("a.mdx: gone") && ContainsSubstring("(switched off)"));
    CHECK(reports::bench_json(results)["findings"] == 2);
    CHECK(reports::bench_json(results)["failure"] == "a.mdx: gone");
}

TEST_CASE("a measurement without requests has figures, too") { CHECK(reports::bench_json({})["requests_per_s"] == 0.0); }
