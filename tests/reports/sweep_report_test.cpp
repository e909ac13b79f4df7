#include "reports/sweep_report.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "reports/json_text.hpp"
#include "reports/measured_side.hpp"
#include "reports/results_document.hpp"
#include "tests/reports/measured_example.hpp"
#include "tests/support/catch.hpp"

using SweptJson = nlohmann::ordered_json;

namespace {

std::string sweep_of_one_point() {
    const std::vector<nlohmann::ordered_json> points{reports::sweep_point({1, 1, 8192, 0}, test::measured_second(1000, 100))};
    return reports::json_text(reports::sweep_document({"b.mdx"}, {"depth=1"}, 1, points));
}

std::size_t points_in(const std::string& text) { return reports::points_of_sweep(text, "s.json", {"b.mdx"}, {"depth=1"}).size(); }

// The same figures for two series of two depths each.
std::vector<SweptJson> swept_points() {
    std::vector<SweptJson> points;
    for (const std::uint32_t write_percent : {0U, 50U}) {
        for (const std::uint32_t depth : {1U, 2U}) {
            points.push_back(reports::sweep_point({depth, 3, 8192, write_percent}, test::measured_second(100 * depth, 1000)));
        }
    }
    return points;
}

}  // namespace

TEST_CASE("the points of a sweep are read from what it wrote") { CHECK(points_in(sweep_of_one_point()) == 1); }

TEST_CASE("a sweep of a file whose name is not UTF-8 can be resumed") {
    const std::vector<std::string> files{"b\xff.mdx"};
    const std::vector<SweptJson> points{reports::sweep_point({1, 1, 8192, 0}, test::measured_second(1000, 100))};
    const std::string text = reports::json_text(reports::sweep_document(files, {"depth=1"}, 2, points));
    CHECK(reports::points_of_sweep(text, "s.json", files, {"depth=1"}).size() == 1);
    CHECK_THROWS_AS(reports::points_of_sweep(text, "s.json", {"b.mdx"}, {"depth=1"}), reports::ResultsDocumentError);
}

TEST_CASE("a sweep is not resumed from JSON that is nested without end") {
    const std::string nested = std::string(300'000, '[') + std::string(300'000, ']');
    const std::string text = R"({"document": "ioproof sweep", "version": 1, "files": ["b.mdx"], "asked": ["depth=1"], "combinations": 1, )"
                             "\"points\": " +
                             nested + "}";
    CHECK_THROWS_AS(points_in(text), reports::ResultsDocumentError);
}

TEST_CASE("each figure of a point of a sweep is in the JSON under its own name, and in the CSV in its column") {
    sim::MeasureTimespanResults second = test::measured_second(900, 100, 80, 1'000);
    sim::MeasureCounts& writes = second.rows[0].writes;
    for (int i = 0; i < 15; ++i) writes.latency.add(5'000'000);
    for (int i = 0; i < 4; ++i) writes.latency.add(20'000'000);
    writes.latency.add(90'000'000);
    writes.requests = 100;
    writes.bytes = 100 * 8192;
    second.duration_ns = 2'000'000'000;
    second.cpu_user_us = 3000;
    second.cpu_system_us = 4000;
    second.cpus = {{0, 10, 20, 70, 0}, {1, 1, 2, 97, 0}};
    const SweptJson point = reports::sweep_point({5, 6, 4096, 7}, second);
    const std::vector<std::pair<const char*, double>> expected{{"depth", 5},
                                                               {"threads", 6},
                                                               {"block_bytes", 4096},
                                                               {"write_percent", 7},
                                                               {"requests_per_s", 500},
                                                               {"bytes_per_s", 500 * 8192},
                                                               {"latency_mean_us", 415},
                                                               {"latency_p50_us", 100},
                                                               {"latency_p99_us", 5000},
                                                               {"latency_p999_us", 20000},
                                                               {"latency_max_us", 90000},
                                                               {"in_flight", 0.2075},
                                                               {"cpu_ns_per_request", 7000},
                                                               {"cpu_mean_percent", 16.5},
                                                               {"cpu_busiest_percent", 30}};
    std::string head;
    std::string row;
    for (const auto& [name, value] : expected) {
        INFO(name);
        CHECK(point[name].get<double>() == Approx(value).epsilon(0.01));
        head += (head.empty() ? "" : ",") + std::string(name);
    }
    CHECK(point.size() == expected.size());
    CHECK(reports::sweep_csv_head() == head + "\n");
    const std::string csv = reports::sweep_csv(reports::sweep_document({}, {}, 1, {point}));
    CHECK_THAT(csv, ContainsSubstring("\n5,6,4096,7,500,4096000,415,"));
    CHECK_THAT(csv, ContainsSubstring(",90000,0.2075,7000,16.5,30\n"));
}

TEST_CASE("a sweep's JSON has a series for each mix, with its own knee, and says whether it is complete") {
    const std::vector<SweptJson> points = swept_points();
    const SweptJson json = reports::sweep_document({"/a", "/b"}, {"depth=1..2"}, 5, points);
    CHECK(json["files"] == SweptJson::parse(R"(["/a", "/b"])"));
    CHECK(json["asked"] == SweptJson::parse(R"(["depth=1..2"])"));
    CHECK(json["combinations"] == 5);
    CHECK(json["is_complete"] == false);
    CHECK(json["points"] == SweptJson(points));
    REQUIRE(json["series"].size() == 2);
    CHECK(json["series"].at(1)["name"] == "3 threads, 8 KB, 50 % writes");
    CHECK(json["series"].at(1)["points"] == SweptJson({points[2], points[3]}));
    CHECK(json["series"].at(1)["has_knee"] == false);
    CHECK(json["series"].at(1)["knee_depth"] == 2);
    CHECK(json["series"].at(1)["is_cpu_bound"] == false);
    // 200 requests a second of 1 ms each are 0.2 in flight, of the 2 that were asked for of each of two files.
    CHECK(json["series"].at(1)["littles_ratio"].get<double>() == Approx(0.05));
    CHECK_THAT(json["series"].at(1)["text"].get<std::string>(),
               ContainsSubstring("Up to 4 outstanding requests") && ContainsSubstring("The knee lies beyond") &&
                   ContainsSubstring("0.2 requests were in flight there, of 4 requested") && ContainsSubstring("of all 2 files together"));
    const SweptJson one_file = reports::sweep_document({"/a"}, {"depth=1..2"}, 5, points);
    CHECK(one_file["series"].at(1)["littles_ratio"].get<double>() == Approx(0.1));
    CHECK_THAT(one_file["series"].at(1)["text"].get<std::string>(), !ContainsSubstring("together"));
    CHECK(reports::sweep_document({}, {}, 4, points)["is_complete"] == true);
}

TEST_CASE("a sweep that wrong pages ended says so in its text, on its page and when it is compared, also when it is made anew") {
    SweptJson document = reports::sweep_document({"b.mdx"}, {"depth=1..2"}, 5, swept_points());
    CHECK_THAT(reports::sweep_text(document), !ContainsSubstring("WRONG"));
    CHECK(reports::sweep_anew(document, "s.json") == document);
    sim::MeasureResults failed;
    failed.finding_count = 3;
    failed.failure_reason = "b.mdx: it is gone.";
    reports::add_sweep_failure(document, failed);
    CHECK(reports::sweep_anew(document, "s.json") == document);
    CHECK_THAT(reports::sweep_text(document), ContainsSubstring("WRONG: 3 findings ended the sweep.\n\nNot complete"));
    const std::string html = reports::html_sweep(document);
    CHECK_THAT(html, ContainsSubstring("\"findings\":3,\"failure\":\"b.mdx: it is gone.\""));
    CHECK_THAT(html, ContainsSubstring("`WRONG: ${counted(data.findings, 'finding')} ended the sweep.`"));
    CHECK(reports::read_measured_side(reports::json_text(document), "s.json").finding_count == 3);
    document["findings"] = "3";
    CHECK_THROWS_AS(reports::sweep_anew(document, "s.json"), reports::ResultsDocumentError);
}

TEST_CASE("a sweep with a rate shows no more requests in flight than each depth has, and does not take its own polling for the limit") {
    const sim::MeasureTimespanResults late = test::measured_second(500, 600'000);
    CHECK(reports::sweep_point({4, 1, 8192, 0}, late)["in_flight"] == 4);
    CHECK(reports::sweep_point({4, 1, 8192, 0}, test::side_by_side(late, late))["in_flight"] == 8);
    sim::MeasureTimespanResults kept = test::measured_second(500, 1000);
    kept.cpus = {{0, 60, 40, 0, 0}};
    std::vector<SweptJson> points;
    for (const std::uint32_t depth : {2U, 4U}) points.push_back(reports::sweep_point({depth, 1, 8192, 0}, kept));
    const auto is_cpu_bound = [&](const std::vector<std::string>& asked) {
        return reports::sweep_document({"/a"}, asked, 2, points)["series"].at(0)["is_cpu_bound"] == true;
    };
    CHECK(is_cpu_bound({"depth=2,4"}));
    CHECK_FALSE(is_cpu_bound({"depth=2,4", "rate=500"}));
}

TEST_CASE("a sweep shows no percentile beyond which no request lies, and is resumed and compared without it") {
    const SweptJson point = reports::sweep_point({1, 1, 8192, 0}, test::measured_second(100, 50));
    CHECK(point["latency_p99_us"] == 50);
    CHECK(point["latency_p999_us"].is_null());
    const SweptJson rare = reports::sweep_point({1, 1, 8192, 0}, test::measured_second(99, 50));
    CHECK(rare["latency_p50_us"] == 50);
    CHECK(rare["latency_p99_us"].is_null());
    const SweptJson document = reports::sweep_document({"b.mdx"}, {"depth=1"}, 1, {rare});
    CHECK_THAT(reports::sweep_csv(document), ContainsSubstring(",50,50,,,50,"));
    CHECK_THAT(reports::sweep_text(document), ContainsSubstring("50.0 us     -       -"));
    const std::string text = reports::json_text(document);
    CHECK(points_in(text) == 1);
    const reports::MeasuredSide side = reports::read_measured_side(text, "s.json");
    REQUIRE(side.groups.size() == 2);
    CHECK(side.groups[1].figures.size() == 2);
    SweptJson damaged = document;
    damaged["points"][0].erase("latency_p99_us");
    CHECK_THROWS_AS(points_in(reports::json_text(damaged)), reports::ResultsDocumentError);
}
