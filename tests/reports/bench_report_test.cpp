#include "reports/bench_report.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "tests/support/catch.hpp"
#include "tests/support/figures.hpp"

namespace {

sim::BenchResults example_bench() {
    sim::BenchResults results;
    results.options.files = {"/data/a \"b\".mdx"};
    results.engine = "uring";
    results.duration_ns = 2'000'000'000;
    results.requests = 1000;
    results.bytes = 8'192'000;
    results.pages_verified = 990;
    results.latency_mean_us = 40.5;
    results.cpu_user_us = 300;
    results.cpu_system_us = 700;
    return results;
}

}  // namespace

TEST_CASE("figures of a measurement are rates over its time and CPU over its requests") {
    const std::string text = reports::bench_text(example_bench());
    CHECK_THAT(text, ContainsSubstring("random reads of 8 KB, depth 32, 1 CPU, engine uring"));
    CHECK_THAT(text, ContainsSubstring("500 /s, 3.9 MB/s, mean latency 40.5 us"));
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
    results.finding_count = 1;
    CHECK_THAT(reports::bench_text(results), ContainsSubstring("WRONG           1 finding, see above"));
}

TEST_CASE("a measurement without requests has figures, too") { CHECK(reports::bench_json({})["requests_per_s"] == 0.0); }

TEST_CASE("each figure and each setting of a measurement of ioproof's own path is in the JSON under its own name") {
    sim::BenchResults results;
    test::Figures figures;
    figures.set(results.options.block_bytes_min, "block_bytes_min");
    figures.set(results.options.block_bytes_max, "block_bytes_max");
    figures.set(results.options.depth, "depth");
    figures.set(results.options.cpu_count, "cpus");
    figures.set(results.engine, "engine");
    figures.set(results.duration_ns, "duration_ns");
    figures.set(results.requests, "requests");
    figures.set(results.bytes, "bytes");
    figures.set(results.latency_mean_us, "latency_mean_us");
    figures.set(results.cpu_user_us, "cpu_user_us");
    figures.set(results.cpu_system_us, "cpu_system_us");
    figures.set(results.pages_verified, "pages_verified");
    figures.set(results.pages_read_back, "pages_read_back");
    figures.set(results.resident_max_bytes, "resident_max_bytes");
    figures.set(results.finding_count, "findings");
    figures.set(results.failure_reason, "failure");
    CHECK(figures.wrong_in(reports::bench_json(results)) == "");
    results.duration_ns = 2'000'000'000;
    CHECK(reports::bench_json(results)["requests_per_s"] == static_cast<double>(results.requests) / 2);
    CHECK(reports::bench_json(results)["bytes_per_s"] == static_cast<double>(results.bytes) / 2);
    sim::BenchOptions& options = results.options;
    const std::pair<const char*, bool*> switches[] = {{"verify", &options.verify},
                                                      {"durable", &options.durable},
                                                      {"scatter", &options.scatter},
                                                      {"direct", &options.direct},
                                                      {"stopped", &results.stopped}};
    for (const auto& [name, value] : switches) *value = false;
    for (const auto& [name, value] : switches) {
        *value = true;
        for (const auto& [other, other_value] : switches) CHECK(reports::bench_json(results)[other] == (other_value == value));
        *value = false;
    }
    CHECK(reports::bench_json(results)["pattern"] == "random");
    CHECK(reports::bench_json(results)["op"] == "read");
    options.pattern = sim::BenchPattern::sequential;
    options.operation = sim::BenchOperation::write;
    CHECK(reports::bench_json(results)["pattern"] == "sequential");
    CHECK(reports::bench_json(results)["op"] == "write");
}
