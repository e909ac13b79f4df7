#include "reports/measure_csv.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "reports/bench_report.hpp"
#include "tests/reports/measured_example.hpp"
#include "tests/support/catch.hpp"

namespace {

std::vector<std::string> lines_of_csv(const nlohmann::ordered_json& document) {
    std::istringstream stream(reports::measure_csv(document));
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

auto commas(const std::string& line) { return std::count(line.begin(), line.end(), ','); }

}  // namespace

TEST_CASE("the CSV of a measurement has a line for the reads and the writes of each target, and the sums") {
    const auto two =
        test::side_by_side(test::measured_second(100, 50, 20, 80, "oltp", "a.mdx"), test::measured_second(0, 0, 30, 200, "log", "a.ldx"));
    sim::MeasureResults results;
    results.timespans = {two};
    const auto lines = lines_of_csv(reports::measure_json(results));
    REQUIRE(lines.size() == 8);
    CHECK(lines[0] + "\n" == reports::measure_csv_head());
    for (const std::string& line : lines) CHECK(commas(line) == commas(lines[0]));
    CHECK(lines[1].starts_with("1,1,oltp,a.mdx,read,100,819200,100,819200,50,0,50,"));
    CHECK(lines[2].starts_with("1,1,oltp,a.mdx,write,20,"));
    CHECK(lines[3] == "1,2,log,a.ldx,read,0,0,0,0,,,,,,,,,,");
    CHECK(lines[4].starts_with("1,2,log,a.ldx,write,30,245760,30,245760,200,0,200,"));
    CHECK(lines[5].starts_with("1,all,,,read,100,"));
    CHECK(lines[6].starts_with("1,all,,,write,50,"));
    CHECK(lines[7].starts_with("1,all,,,both,150,"));
    CHECK(lines[4].ends_with(",200"));
}

TEST_CASE("the CSV of repeated measurements has the lines of each round") {
    const auto lines = lines_of_csv(test::measured_document({test::measured_second(100, 50), test::measured_second(110, 40)}));
    REQUIRE(lines.size() == 11);
    CHECK(lines[1].starts_with("1,1,,/mnt/data/b.mdx,read,100,"));
    CHECK(lines[2].starts_with("1,1,,/mnt/data/b.mdx,write,0,"));
    CHECK(lines[6].starts_with("2,1,,/mnt/data/b.mdx,read,110,"));
    CHECK(lines[10].starts_with("2,all,,,both,110,"));
}

TEST_CASE("a percentile beyond which no request lies is empty in the CSV") {
    const auto percentiles_of = [](std::uint64_t reads) {
        return lines_of_csv(test::measured_document({test::measured_second(reads, 5)}))[1];
    };
    CHECK(percentiles_of(1).ends_with(",5,0,5,,,,,,,5"));
    CHECK(percentiles_of(10).ends_with(",5,0,5,5,5,,,,,5"));
    CHECK(percentiles_of(100).ends_with(",5,0,5,5,5,5,5,,,5"));
}

TEST_CASE("counts of any size are exact in the CSV") {
    sim::MeasureResults results;
    results.timespans = {test::measured_second(10, 50)};
    results.timespans[0].rows[0].reads.requests = 12'345'678'901;
    results.timespans[0].rows[0].reads.bytes = 101'135'801'556'992;
    CHECK_THAT(lines_of_csv(reports::measure_json(results))[1], ContainsSubstring(",read,12345678901,101135801556992,"));
}

TEST_CASE("a name with commas and quotes is one cell of the CSV") {
    sim::MeasureResults results;
    results.timespans = {test::measured_second(10, 50, 0, 0, "", "/mnt/a, \"b\".mdx")};
    CHECK_THAT(lines_of_csv(reports::measure_json(results))[1], ContainsSubstring(",,\"/mnt/a, \"\"b\"\".mdx\",read,10,"));
}

TEST_CASE("a name that is not UTF-8 does not make the CSV unreadable") {
    sim::MeasureResults results;
    results.timespans = {test::measured_second(10, 50, 0, 0, "", "/mnt/\xff-\xc3\xa4.mdx")};
    CHECK_THAT(lines_of_csv(reports::measure_json(results))[1], ContainsSubstring(",,/mnt/\xef\xbf\xbd-\xc3\xa4.mdx,read,10,"));
    sim::BenchResults own_path;
    own_path.options.files = {"\xff.mdx"};
    CHECK_THAT(lines_of_csv(reports::bench_json(own_path))[1], ContainsSubstring(",,\xef\xbf\xbd.mdx,read,"));
}

TEST_CASE("a measurement in which nothing was measured leaves the CSV's names only") {
    CHECK(reports::measure_csv(reports::measure_json({})) == reports::measure_csv_head());
}

TEST_CASE("the CSV of a run's own path has one line, and leaves out what is not known") {
    sim::BenchResults results;
    results.options.files = {"a.mdx", "b.mdx"};
    results.duration_ns = 2'000'000'000;
    results.requests = 1000;
    results.bytes = 8'192'000;
    results.latency_mean_us = 40;
    const auto lines = lines_of_csv(reports::bench_json(results));
    REQUIRE(lines.size() == 2);
    CHECK(lines[1] == "1,all,,a.mdx b.mdx,read,1000,8192000,500,4096000,40,,,,,,,,,");
    CHECK(commas(lines[1]) == commas(lines[0]));
}
