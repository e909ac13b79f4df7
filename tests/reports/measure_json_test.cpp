#include "reports/measure_json.hpp"

#include "tests/reports/figures.hpp"
#include "tests/reports/measured_example.hpp"
#include "tests/support/catch.hpp"

using Json = nlohmann::ordered_json;
using test::Figures;

TEST_CASE("each figure of a target and of a thread is in the JSON of a measurement under its own name") {
    sim::MeasureResults results;
    results.timespans = {test::measured_second(30, 100, 20, 700)};
    sim::MeasureTargetFacts& target = results.timespans[0].targets[0];
    Figures facts;
    facts.set(target.size_bytes, "size_bytes");
    facts.set(target.pages_verified, "pages_verified");
    facts.set(target.pages_read_back, "pages_read_back");
    facts.set(target.pages_not_judged, "pages_not_judged");
    sim::MeasureRow& row = results.timespans[0].rows[0];
    facts.set(row.flushes, "flushes");
    Figures thread;
    thread.set(row.thread, "thread");
    thread.set(row.reads.requests, "reads");
    thread.set(row.reads.bytes, "read_bytes");
    thread.set(row.writes.requests, "writes");
    thread.set(row.writes.bytes, "written_bytes");
    const Json json = reports::measure_json(results);
    CHECK(facts.wrong_in(json["targets"].at(0)) == "");
    CHECK(thread.wrong_in(json["threads"].at(0)) == "");
    CHECK(json["threads"].at(0)["read_mean_ns"] == 100'000);
    CHECK(json["threads"].at(0)["write_mean_ns"] == 700'000);
}
