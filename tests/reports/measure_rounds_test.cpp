#include "reports/measure_rounds.hpp"

#include <nlohmann/json.hpp>

#include "tests/reports/measured_example.hpp"
#include "tests/support/catch.hpp"

TEST_CASE("each figure of several rounds is in the JSON under its own name") {
    const auto first = test::measured_second(300, 100, 100, 500);
    const auto second = test::measured_second(500, 100, 100, 700);
    const auto json = test::measured_document({first, second})["rounds"];
    CHECK(json["count"] == 2);
    CHECK(json["requests_per_s"] == nlohmann::ordered_json::parse("[400.0, 600.0]"));
    CHECK(json["latency_mean_us"] == nlohmann::ordered_json::parse("[200.0, 200.0]"));
    CHECK(json["mean_per_s"] == 500);
    CHECK(json["deviation_per_s"].get<double>() == Approx(141.42).epsilon(0.001));
    // Student's t of one degree of freedom is 12.706.
    CHECK(json["half_interval_95_per_s"].get<double>() == Approx(1270.6).epsilon(0.001));
    CHECK(json["latency_mean_of_rounds_us"] == 200);
    CHECK(json["latency_half_interval_95_us"] == 0);
    CHECK(json["duration_ns"] == 2'000'000'000);
    CHECK(json["all"]["reads"]["requests"] == 800);
    CHECK(json["all"]["reads"]["requests_per_s"] == 400);
    CHECK(json["all"]["writes"]["requests"] == 200);
    CHECK(json["all"]["writes"]["latency"]["max_ns"] == 700'000);
    CHECK(json["all"]["writes"]["latency"]["buckets_ns"].size() == 2);
    CHECK(json["steady"].is_null());
}

TEST_CASE("the text of a steady state says how far apart the highest and the lowest round are, not how far from the mean") {
    reports::MeasureRounds rounds;
    rounds.requests_per_s = {104, 102, 100, 98, 96};
    rounds.asked_for_steady_state = true;
    CHECK_THAT(reports::rounds_text(rounds), ContainsSubstring("100 requests/s on average; the highest and the lowest are 8.0 % apart") &&
                                                 ContainsSubstring("the slope is 8.0 %"));
}

TEST_CASE("the text of a single round has no standard deviation, which is not known") {
    reports::MeasureRounds rounds;
    rounds.requests_per_s = {100};
    CHECK_THAT(reports::rounds_text(rounds), ContainsSubstring("1 round: 100 requests/s; ") && !ContainsSubstring("deviation"));
    rounds.requests_per_s = {100, 104};
    CHECK_THAT(reports::rounds_text(rounds), ContainsSubstring("2 rounds: 102 requests/s on average, standard deviation 3, "));
}

TEST_CASE("each round keeps its own figures of the total and of each target, without buckets") {
    auto first = test::side_by_side(test::measured_second(300, 100, 0, 0, "oltp", "/a"), test::measured_second(1, 1, 40, 500, "log", "/b"));
    auto second = first;
    second.rows[1].writes.requests = 50;
    const auto json = test::measured_document({first, second})["rounds"];
    CHECK(json["totals"].at(0)["reads"]["requests"] == 301);
    CHECK(json["totals"].at(0)["writes"]["requests"] == 40);
    CHECK(json["totals"].at(0)["both"]["requests"] == 341);
    CHECK(json["totals"].at(1)["writes"]["requests"] == 50);
    const auto& target = json["targets"].at(1).at(1);
    CHECK(target["path"] == "/b");
    CHECK(target["class"] == "log");
    CHECK(target["reads"]["requests"] == 1);
    CHECK(target["writes"]["requests"] == 50);
    CHECK_FALSE(target["writes"]["latency"].contains("buckets_ns"));
    CHECK_FALSE(json["totals"].at(0)["reads"]["latency"].contains("buckets_ns"));
}

TEST_CASE("the JSON of rounds says whether they were steady, if that was asked") {
    reports::MeasureRounds rounds;
    rounds.asked_for_steady_state = true;
    rounds.requests_per_s = {100, 100, 100, 100, 100};
    CHECK(reports::rounds_json(rounds)["steady"] == true);
    rounds.requests_per_s.back() = 200;
    CHECK(reports::rounds_json(rounds)["steady"] == false);
}

TEST_CASE("a round without requests has no latency, which would be the best one") {
    const auto json = test::measured_document({test::measured_second(10, 200), test::measured_second(0, 0)})["rounds"];
    CHECK(json["latency_mean_us"] == nlohmann::ordered_json::parse("[200.0, null]"));
    CHECK(json["latency_mean_of_rounds_us"] == 200);
    CHECK(json["latency_half_interval_95_us"].is_null());
    CHECK(json["mean_per_s"] == 5);
    reports::MeasureRounds rounds;
    rounds.add(test::measured_second(0, 0));
    CHECK_THAT(reports::rounds_text(rounds), ContainsSubstring("mean latency -\n"));
    CHECK(reports::rounds_json(rounds)["latency_mean_of_rounds_us"].is_null());
    rounds.add(test::measured_second(10, 200));
    CHECK_THAT(reports::rounds_text(rounds), ContainsSubstring("mean latency 200.0 us\n"));
}
