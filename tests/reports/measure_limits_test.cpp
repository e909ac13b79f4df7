#include "reports/measure_limits.hpp"

#include <string>

#include "tests/reports/measured_example.hpp"
#include "tests/support/catch.hpp"

using LimitOutcome = reports::MeasureLimitResult::Outcome;

namespace {

reports::MeasureLimit measure_limit(const std::string& text) {
    std::string problem;
    const auto limits = reports::parse_measure_limits(text, problem);
    INFO(text << ": " << problem);
    REQUIRE(limits.has_value());
    REQUIRE(limits->size() == 1);
    return limits->front();
}

// 900 reads of 1 ms and 100 writes of 8 ms of oltp, 50 writes of 2 ms of log, in one second.
reports::MeasureRounds mixed_rounds() {
    sim::MeasureTimespanResults log = test::measured_second(0, 0, 50, 2000, "log", "/mnt/b.log");
    log.spec.targets[0].write_percent = 100;
    reports::MeasureRounds rounds;
    rounds.add(test::side_by_side(test::measured_second(900, 1000, 100, 8000, "oltp", "/mnt/b.oltp"), log));
    return rounds;
}

LimitOutcome outcome_of(const std::string& text) { return reports::evaluate_measure_limit(measure_limit(text), mixed_rounds()).outcome; }

}  // namespace

TEST_CASE("a limit of a measurement names class, direction, figure, value and file") {
    const reports::MeasureLimit limit = measure_limit(" log.write.p99.9 >= 2.5 ms in b.log ");
    CHECK(limit.expression == "log.write.p99.9 >= 2.5 ms in b.log");
    CHECK(limit.label == "log");
    CHECK(limit.direction == sim::MeasureDirection::writes);
    CHECK(limit.figure == reports::MeasureLimit::Figure::percentile);
    CHECK(limit.percent == 99.9);
    CHECK(limit.at_limit);
    CHECK(limit.limit == 2500);
    CHECK(limit.file == "b.log");
    CHECK(measure_limit("read-ahead.average>1s").label == "read-ahead");
    CHECK(measure_limit("read.longest > 1s").direction == sim::MeasureDirection::reads);
    CHECK(measure_limit("mb_per_s <= 12.5").limit == 12.5);
    CHECK(measure_limit("p99.9999999 > 1us").percent == 99.9999999);
}

TEST_CASE("an invalid limit of a measurement is refused with what is allowed") {
    for (const char* bad :
         {"", "fast", "p99", "p97 > 5ms", "p97.5 > 5ms", "p99 > 5", "p99 < 5ms", "p99 > -1ms", "p99 > 1e300s", "p99 > nan ms",
          "requests_per_s > 5", "requests_per_s < 5ms", "oltp.read.write.p99 > 1ms", "p99 > 5ms,", "log_flush > 5ms"}) {
        std::string problem;
        INFO(bad);
        CHECK_FALSE(reports::parse_measure_limits(bad, problem).has_value());
        CHECK_THAT(problem, ContainsSubstring("is not a limit: "));
    }
}

TEST_CASE("times are judged where they are worst, rates over everything") {
    CHECK(outcome_of("p99 > 7ms") == LimitOutcome::exceeded);
    CHECK(outcome_of("p99 > 9ms") == LimitOutcome::kept);
    CHECK(outcome_of("read.p99 > 7ms") == LimitOutcome::kept);
    CHECK(outcome_of("log.p99 > 3ms") == LimitOutcome::kept);
    CHECK(outcome_of("log.longest > 1.9ms") == LimitOutcome::exceeded);
    CHECK(outcome_of("average > 1ms in b.log") == LimitOutcome::exceeded);
    CHECK(outcome_of("average > 1ms in /mnt/b.log") == LimitOutcome::exceeded);
    CHECK(outcome_of("read.average > 1ms") == LimitOutcome::kept);
    CHECK(outcome_of("read.average >= 1ms") == LimitOutcome::exceeded);
    CHECK(outcome_of("requests_per_s < 1050") == LimitOutcome::kept);
    CHECK(outcome_of("requests_per_s <= 1050") == LimitOutcome::exceeded);
    CHECK(outcome_of("oltp.requests_per_s < 1001") == LimitOutcome::exceeded);
    CHECK(outcome_of("oltp.write.requests_per_s < 100") == LimitOutcome::kept);
    CHECK(outcome_of("mb_per_s < 8.2") == LimitOutcome::kept);
    CHECK(outcome_of("mb_per_s < 8.3") == LimitOutcome::exceeded);
}

TEST_CASE("a limit names a file as the measurement does, wherever symbolic links lead from there") {
    sim::MeasureTimespanResults second = test::measured_second(100, 1000, 0, 0, "", "link/b.mdx");
    second.targets[0].path = "/real/b2.mdx";
    reports::MeasureRounds rounds;
    rounds.add(second);
    for (const char* limit : {"average > 2ms in link/b.mdx", "requests_per_s < 100 in b.mdx"}) {
        CAPTURE(limit);
        CHECK(reports::measure_limit_problem(measure_limit(limit), second.spec).empty());
        CHECK(reports::evaluate_measure_limit(measure_limit(limit), rounds).outcome == LimitOutcome::kept);
    }
}

TEST_CASE("an unmeasured time is not within its limit") {
    reports::MeasureRounds rounds;
    rounds.add(test::measured_second(0, 0));
    const auto result = reports::evaluate_measure_limit(measure_limit("p99 > 1000 s"), rounds);
    CHECK(result.outcome == LimitOutcome::not_measured);
    CHECK_FALSE(result.is_kept());
    CHECK_THAT(reports::measure_limit_text(result), ContainsSubstring("nothing to measure"));
    CHECK(reports::measure_limit_json(result)["outcome"] == "not measured");
    CHECK(reports::measure_limit_json(result)["value"].is_null());
}

TEST_CASE("a limit on a time is not kept if one of its files answered nothing, however fast the others are") {
    reports::MeasureRounds rounds;
    rounds.add(test::side_by_side(test::measured_second(900, 1000, 0, 0, "", "/mnt/a"), test::measured_second(0, 0, 0, 0, "", "/mnt/b")));
    const auto result = reports::evaluate_measure_limit(measure_limit("p99 > 5ms"), rounds);
    CHECK(result.outcome == LimitOutcome::not_measured);
    CHECK_THAT(reports::measure_limit_text(result), ContainsSubstring("nothing to measure in /mnt/b"));
    CHECK(reports::evaluate_measure_limit(measure_limit("p99 > 5ms in a"), rounds).is_kept());
}

TEST_CASE("a limit on reads is kept whatever a file does that is only written") {
    sim::MeasureTimespanResults log = test::measured_second(0, 0, 0, 0, "", "/mnt/log");
    log.spec.targets[0].write_percent = 100;
    reports::MeasureRounds rounds;
    rounds.add(test::side_by_side(test::measured_second(900, 1000, 0, 0, "", "/mnt/a"), log));
    CHECK(reports::evaluate_measure_limit(measure_limit("read.p99 > 5ms"), rounds).is_kept());
    const auto both = reports::evaluate_measure_limit(measure_limit("p99 > 5ms"), rounds);
    CHECK(both.outcome == LimitOutcome::not_measured);
    CHECK(both.where == "/mnt/log");
}

TEST_CASE("a limit on a time is not kept if a file that should read and write completed only writes") {
    reports::MeasureRounds rounds;
    rounds.add(
        test::side_by_side(test::measured_second(900, 1000, 0, 0, "", "/mnt/a"), test::measured_second(0, 0, 50, 1000, "", "/mnt/b")));
    for (const char* limit : {"p99 > 5ms", "read.p99 > 5ms"}) {
        CAPTURE(limit);
        const auto result = reports::evaluate_measure_limit(measure_limit(limit), rounds);
        CHECK(result.outcome == LimitOutcome::not_measured);
        CHECK_THAT(reports::measure_limit_text(result), ContainsSubstring("nothing to measure in reads of /mnt/b"));
    }
    CHECK(reports::evaluate_measure_limit(measure_limit("write.p99 > 5ms"), rounds).is_kept());
}

TEST_CASE("what was measured is shown beyond the limit that it exceeds, not cut to it") {
    reports::MeasureRounds rounds;
    rounds.add(test::measured_second(10, 12'700));
    CHECK_THAT(reports::measure_limit_text(reports::evaluate_measure_limit(measure_limit("longest > 12 ms"), rounds)),
               ContainsSubstring("EXCEEDED") && ContainsSubstring(": 12.7 ms for reads"));
    CHECK_THAT(reports::measure_limit_text(reports::evaluate_measure_limit(measure_limit("longest > 5 ms"), rounds)),
               ContainsSubstring("EXCEEDED") && ContainsSubstring(": 12 ms for reads"));
    CHECK_THAT(reports::measure_limit_text(reports::evaluate_measure_limit(measure_limit("mb_per_s < 0.1"), rounds)),
               ContainsSubstring("EXCEEDED") && ContainsSubstring(": 0.078125 MB/s for"));
}

TEST_CASE("a rate is shown with the digits that it takes to see on which side of its limit it is") {
    reports::MeasureRounds rounds;
    rounds.add(test::measured_second(10, 1000));
    rounds.add(test::measured_second(11, 1000));
    const auto text_of = [&](const char* limit) {
        return reports::measure_limit_text(reports::evaluate_measure_limit(measure_limit(limit), rounds));
    };
    CHECK_THAT(text_of("requests_per_s < 10.2"), ContainsSubstring("kept") && ContainsSubstring(": 11 requests/s for"));
    CHECK_THAT(text_of("requests_per_s < 10.7"), ContainsSubstring("EXCEEDED") && ContainsSubstring(": 10.5 requests/s for"));
    CHECK_THAT(text_of("requests_per_s <= 10"), ContainsSubstring("kept") && ContainsSubstring(": 11 requests/s for"));
    CHECK_THAT(text_of("requests_per_s < 11"), ContainsSubstring("EXCEEDED") && ContainsSubstring(": 10.5 requests/s for"));
    CHECK_THAT(text_of("requests_per_s < 20"), ContainsSubstring("EXCEEDED") && ContainsSubstring(": 11 requests/s for"));
    // 0.08203125 MB/s.
    CHECK_THAT(text_of("mb_per_s < 0.08203124"), ContainsSubstring("kept") && ContainsSubstring(": 0.08203125 MB/s for"));
}

TEST_CASE("a limit is judged over all rounds together") {
    reports::MeasureRounds rounds;
    for (int i = 0; i < 9; ++i) rounds.add(test::measured_second(100, 1000));
    rounds.add(test::measured_second(100, 5000));
    // 100 of 1,000 requests took 5 ms.
    CHECK(reports::evaluate_measure_limit(measure_limit("p90 > 2ms"), rounds).is_kept());
    CHECK_FALSE(reports::evaluate_measure_limit(measure_limit("p95 > 2ms"), rounds).is_kept());
    CHECK(reports::evaluate_measure_limit(measure_limit("requests_per_s < 100"), rounds).value == 100);
    CHECK_THAT(reports::measure_limit_text(reports::evaluate_measure_limit(measure_limit("longest > 1 ms"), rounds)),
               ContainsSubstring("EXCEEDED") && ContainsSubstring("5.0 ms for reads of /mnt/data/b.mdx"));
}

TEST_CASE("a limit on something that is not measured is reported before the measurement begins") {
    const sim::MeasureTimespan spec = test::measured_second(1, 1, 0, 0, "oltp").spec;
    const auto problem = [&](const std::string& text) { return reports::measure_limit_problem(measure_limit(text), spec); };
    CHECK(problem("oltp.p99 > 1ms in b.mdx").empty());
    CHECK_THAT(problem("log.p99 > 1ms"), ContainsSubstring("no class log") && ContainsSubstring("oltp"));
    CHECK_THAT(problem("p99 > 1ms in c.mdx"), ContainsSubstring("no such file") && ContainsSubstring("/mnt/data/b.mdx"));
    CHECK_THAT(problem("write.p99 > 1ms"), ContainsSubstring("nothing is written"));
}
