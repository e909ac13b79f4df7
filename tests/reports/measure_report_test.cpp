#include "reports/measure_report.hpp"

#include "tests/reports/measured_example.hpp"
#include "tests/support/catch.hpp"

TEST_CASE("how even the rate was is told if there are at least two whole intervals, whatever they hold") {
    sim::MeasureResults results;
    results.timespans = {test::measured_second(30, 100)};
    sim::MeasureTimespanResults& timespan = results.timespans[0];
    timespan.spec.iops_interval_ms = 2000;
    timespan.rows[0].intervals.resize(2);
    timespan.rows[0].intervals[0].reads.requests = 20;
    timespan.rows[0].intervals[1].reads.requests = 10;
    timespan.duration_ns = 3'000'000'000;
    CHECK_THAT(reports::measure_text(results), !ContainsSubstring("evenness"));
    timespan.duration_ns = 4'000'000'000;
    CHECK_THAT(reports::measure_text(results), ContainsSubstring("evenness"));
}

TEST_CASE("of a measurement that was stopped during its warm-up, nothing is told about the machine") {
    sim::MeasureResults results;
    results.stopped = true;
    results.timespans = {test::measured_second(0, 0)};
    sim::MeasureTimespanResults& timespan = results.timespans[0];
    timespan.spec.warm_up_s = 10;
    timespan.cpus.push_back({.id = 0, .idle_percent = 100});
    CHECK_THAT(reports::measure_text(results), ContainsSubstring("after 10 s of warm-up") && ContainsSubstring("idle 100 %"));
    timespan.duration_ns = 0;
    CHECK_THAT(reports::measure_text(results), ContainsSubstring("nothing was measured") && !ContainsSubstring("warm-up") &&
                                                   !ContainsSubstring("idle") && ContainsSubstring("stopped before its end"));
}

TEST_CASE("burst credits that ran out are told in the column of the other lines") {
    sim::MeasureResults results;
    results.timespans = {test::measured_second(1500, 100)};
    sim::MeasureTimespanResults& timespan = results.timespans[0];
    timespan.spec.iops_interval_ms = 1000;
    timespan.duration_ns = 20'000'000'000;
    timespan.rows[0].intervals.resize(20);
    for (std::size_t i = 0; i < 20; ++i) timespan.rows[0].intervals[i].reads.requests = i < 10 ? 100 : 50;
    CHECK_THAT(reports::measure_text(results), ContainsSubstring("\n  burst       after 10 s the rate fell from 100 to 50 requests/s"));
}

TEST_CASE("a rate that fell for less than five seconds is not told as used-up burst credits, however short the intervals") {
    sim::MeasureResults results;
    results.timespans = {test::measured_second(1500, 100)};
    sim::MeasureTimespanResults& timespan = results.timespans[0];
    timespan.spec.iops_interval_ms = 100;
    timespan.duration_ns = 20'000'000'000;
    timespan.rows[0].intervals.resize(200);
    const auto fall_after = [&](std::size_t intervals) {
        for (std::size_t i = 0; i < 200; ++i) timespan.rows[0].intervals[i].reads.requests = i < intervals ? 100 : 50;
        return reports::measure_text(results);
    };
    CHECK_THAT(fall_after(190), !ContainsSubstring("burst"));
    CHECK_THAT(fall_after(140), ContainsSubstring("after 14 s the rate fell from 1,000 to 500 requests/s"));
}

TEST_CASE("a pool of threads that is smaller than the requests outstanding is told in the column of the other lines") {
    sim::MeasureResults results;
    results.timespans = {test::measured_second(30, 100)};
    CHECK_THAT(reports::measure_text(results), !ContainsSubstring("pool"));
    results.timespans[0].pool_threads = 64;
    CHECK_THAT(reports::measure_text(results), ContainsSubstring("\n  engine      a pool has 64 threads for each CPU in use"));
}

TEST_CASE("files that are read where they hold no data are told in the column of the other lines, each once") {
    sim::MeasureResults results;
    results.timespans = {test::measured_second(30, 100)};
    std::vector<sim::MeasureTargetFacts>& targets = results.timespans[0].targets;
    targets[0].hole_percent = 0.9;
    CHECK_THAT(reports::measure_text(results), !ContainsSubstring("no data"));
    targets[0].hole_percent = 99.99;
    CHECK_THAT(reports::measure_text(results),
               ContainsSubstring("\n  no data     /mnt/data/b.mdx: the file system has no data for 99 % of the part that is read"));
    targets.push_back(targets[0]);
    CHECK(reports::hole_texts(results.timespans[0]).size() == 1);
}
