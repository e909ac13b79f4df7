#include "reports/measure_comparison.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/html_page.hpp"
#include "reports/json_text.hpp"
#include "reports/results_document.hpp"
#include "reports/sweep_report.hpp"
#include "tests/reports/measured_example.hpp"
#include "tests/support/catch.hpp"

using ComparedJson = nlohmann::ordered_json;

namespace {

// Rounds with these rates of reads, each of which takes 1,000,000 / rate us.
ComparedJson rounds_of(const std::vector<std::uint64_t>& rates) {
    std::vector<sim::MeasureTimespanResults> seconds;
    for (const std::uint64_t rate : rates) seconds.push_back(test::measured_second(rate, 1'000'000 / rate));
    return test::measured_document(seconds);
}

reports::MeasuredSide read_back(const ComparedJson& document, const std::string& name) {
    return reports::read_measured_side(reports::json_text(document), name);
}

ComparedJson compared_documents(const ComparedJson& before, const ComparedJson& after) {
    return reports::compare_measurements(read_back(before, "a.json"), read_back(after, "b.json"));
}

ComparedJson figure_row(const ComparedJson& comparison, std::size_t group, const std::string& figure, const std::string& unit) {
    for (const ComparedJson& row : comparison["groups"][group]["rows"]) {
        if (row["figure"] == figure && row["unit"] == unit) return row;
    }
    return nullptr;
}

std::string measured_refusal(const std::string& text) {
    try {
        static_cast<void>(reports::read_measured_side(text, "x.json"));
    } catch (const reports::ResultsDocumentError& error) {
        return error.what();
    }
    return "no error";
}

// Five rounds in which all but two of a thousand reads take so long; the median is the middle of their bucket.
ComparedJson steady_rounds(std::uint64_t read_ns) {
    sim::MeasureTimespanResults second = test::measured_second(1, 90);
    sim::MeasureCounts& reads = second.rows[0].reads;
    for (int i = 0; i < 998; ++i) reads.latency.add(read_ns);
    reads.latency.add(200'000);
    reads.requests = reads.latency.count();
    return test::measured_document({second, second, second, second, second});
}

sim::MeasureTimespanResults sweep_second(std::uint64_t rate) { return test::measured_second(rate, 100); }

ComparedJson sweep_of(const std::vector<std::uint64_t>& rates, const std::vector<std::string>& asked) {
    std::vector<ComparedJson> points;
    std::uint32_t depth = 1;
    for (const std::uint64_t rate : rates) points.push_back(reports::sweep_point({depth *= 2, 1, 8192, 0}, sweep_second(rate)));
    return reports::sweep_document({"b.mdx"}, asked, rates.size(), points);
}

}  // namespace

TEST_CASE("rounds tell whether two measurements differ by more than chance") {
    const ComparedJson before = rounds_of({1000, 1010, 990, 1005, 995});
    // Mean 1000, deviation 7.9 (variance 62.5), standard error of each side 3.54: t of 8 degrees of freedom 2.306, noise 11.5.
    const ComparedJson same = compared_documents(before, rounds_of({1004, 1014, 994, 1009, 999}));
    const ComparedJson row = figure_row(same, 0, "reads", "/s");
    CHECK(row["before"].get<double>() == Approx(1000));
    CHECK(row["after"].get<double>() == Approx(1004));
    CHECK(row["change_percent"].get<double>() == Approx(0.4));
    CHECK(row["noise_percent"].get<double>() == Approx(2.306 * std::sqrt(2 * 62.5 / 5) / 10).epsilon(0.001));
    CHECK(row["verdict"] == "same");
    const ComparedJson slower = compared_documents(before, rounds_of({984, 994, 974, 989, 979}));
    CHECK(figure_row(slower, 0, "reads", "/s")["verdict"] == "worse");
    CHECK(figure_row(slower, 0, "reads, average", "us")["verdict"] == "worse");
    CHECK_THAT(reports::measure_comparison_text(slower), ContainsSubstring("5 rounds") && ContainsSubstring("worse"));
    CHECK(figure_row(compared_documents(rounds_of({984, 994, 974, 989, 979}), before), 0, "reads", "/s")["verdict"] == "better");
}

TEST_CASE("medians in neighbouring buckets of the histogram are the same within the noise, however steady they are") {
    // The buckets are 1,024 ns wide, and the first of these begins at 99,328 ns.
    const ComparedJson before = steady_rounds(100'340);
    const ComparedJson same = figure_row(compared_documents(before, steady_rounds(100'360)), 0, "reads, 50 %", "us");
    CHECK(same["before"].get<double>() == Approx(99.84));
    CHECK(same["after"].get<double>() == Approx(100.864));
    CHECK(same["noise_percent"].get<double>() == Approx(100 * 1.024 / 99.84));
    CHECK(same["verdict"] == "same");
    CHECK(figure_row(compared_documents(before, steady_rounds(102'000)), 0, "reads, 50 %", "us")["verdict"] == "worse");
    CHECK(figure_row(compared_documents(steady_rounds(102'000), before), 0, "reads, 50 %", "us")["verdict"] == "better");
    CHECK(figure_row(compared_documents(before, steady_rounds(100'360)), 0, "reads, average", "us")["verdict"] == "worse");
}

TEST_CASE("for single rounds only the change is shown, and nothing about chance") {
    const ComparedJson comparison = compared_documents(rounds_of({1000}), rounds_of({500}));
    const ComparedJson row = figure_row(comparison, 0, "reads", "/s");
    CHECK(row["change_percent"].get<double>() == Approx(-50));
    CHECK(row["noise_percent"].is_null());
    CHECK(row["verdict"] == "unknown");
    CHECK(comparison["document"] == "ioproof comparison");
    CHECK(comparison["kind"] == "measurements");
    // A percentile beyond which none of 500 requests lies is omitted.
    CHECK_FALSE(figure_row(comparison, 0, "reads, 99 %", "us").is_null());
    CHECK(figure_row(comparison, 0, "reads, 99.9 %", "us").is_null());
}

TEST_CASE("targets are compared by class and in total") {
    const auto mix = [](std::uint64_t factor, const std::string& folder) {
        return test::measured_document({test::side_by_side(test::measured_second(1000 * factor, 100, 500, 100, "oltp", folder + "b.oltp"),
                                                           test::measured_second(0, 0, 200, 1000, "log", folder + "b.log"))});
    };
    const ComparedJson comparison = compared_documents(mix(1, "/a/"), mix(2, "/b/"));
    REQUIRE(comparison["groups"].size() == 3);
    CHECK(figure_row(comparison, 0, "both", "/s")["after"] == 2700);
    CHECK(figure_row(comparison, 1, "reads", "/s")["after"] == 2000);
    CHECK(comparison["groups"][1]["class"] == "oltp");
    CHECK(comparison["groups"][2]["class"] == "log");
    CHECK(figure_row(comparison, 2, "writes", "/s")["change_percent"] == 0);
    CHECK(comparison["unpaired"].empty());
    CHECK_THAT(reports::measure_comparison_text(comparison), ContainsSubstring("log /a/b.log -> /b/b.log"));
}

TEST_CASE("a row has the values of both sides, their intervals, and what is better") {
    const ComparedJson row = figure_row(compared_documents(rounds_of({100, 200}), rounds_of({400, 500})), 0, "reads", "/s");
    CHECK(row["before_values"] == ComparedJson::parse("[100.0, 200.0]"));
    CHECK(row["after_values"] == ComparedJson::parse("[400.0, 500.0]"));
    // Student's t of one degree of freedom is 12.706, and the standard error of both is 50.
    CHECK(row["before_half_interval_95"].get<double>() == Approx(635.3).epsilon(0.001));
    CHECK(row["after_half_interval_95"].get<double>() == Approx(635.3).epsilon(0.001));
    CHECK(row["more_is_better"] == true);
    CHECK(row["judged"] == true);
    ComparedJson stopped = rounds_of({100, 200, 300});
    stopped["stopped"] = true;
    stopped["findings"] = 7;
    const ComparedJson comparison = compared_documents(rounds_of({100, 200}), stopped);
    const ComparedJson latency = figure_row(comparison, 0, "reads, average", "us");
    CHECK(latency["more_is_better"] == false);
    CHECK(latency["judged"] == true);
    CHECK(figure_row(comparison, 0, "reads", "MB/s")["judged"] == false);
    CHECK(comparison["before"]["name"] == "a.json");
    CHECK(comparison["before"]["engine"] == "uring");
    CHECK(comparison["before"]["rounds"] == 2);
    CHECK(comparison["before"]["findings"] == 0);
    CHECK(comparison["before"]["is_whole"] == true);
    CHECK(comparison["after"]["name"] == "b.json");
    CHECK(comparison["after"]["rounds"] == 3);
    CHECK(comparison["after"]["findings"] == 7);
    CHECK(comparison["after"]["is_whole"] == false);
}

TEST_CASE("differences in the requested measurement are shown, and rule out a baseline") {
    ComparedJson before = rounds_of({1000, 1000});
    before["targets"][0]["block_bytes"] = 65536;
    const ComparedJson comparison = compared_documents(before, rounds_of({1000, 1000}));
    REQUIRE(comparison["asked"].size() == 1);
    CHECK(comparison["asked"][0]["name"] == "block_bytes");
    CHECK_THAT(reports::measure_comparison_text(comparison), ContainsSubstring("block_bytes: 65536 -> 8192"));
    const sim::MeasureTimespan spec = test::measured_second(1, 1).spec;
    CHECK_THAT(reports::baseline_problem(read_back(before, "base.json"), spec, true),
               ContainsSubstring("'base.json'") && ContainsSubstring("block_bytes was 65536, and is 8192"));
    CHECK(reports::baseline_problem(read_back(rounds_of({1000}), "base.json"), spec, true).empty());
    // The same blocks, but in a part of the file, or unevenly spread over it.
    sim::MeasureTimespan part = spec;
    part.targets[0].max_offset_bytes = 1 << 20;
    CHECK_THAT(reports::baseline_problem(read_back(rounds_of({1000}), "base.json"), part, true),
               ContainsSubstring("to_bytes was 0, and is 1048576"));
    sim::MeasureTimespan uneven = spec;
    uneven.targets[0].spans = {{90, 10, 0}};
    CHECK_THAT(reports::baseline_problem(read_back(rounds_of({1000}), "base.json"), uneven, true),
               ContainsSubstring("hot was none, and is 90/10"));
    ComparedJson small = rounds_of({1000});
    small["targets"][0]["size_bytes"] = 65536;
    sim::MeasureTimespan large = spec;
    large.targets[0].create_bytes = 131072;
    CHECK_THAT(reports::baseline_problem(read_back(small, "base.json"), large, true),
               ContainsSubstring("size_bytes was 65536, and is 131072"));
    large.targets[0].create_bytes = 65536;
    CHECK(reports::baseline_problem(read_back(small, "base.json"), large, true).empty());
    ComparedJson stopped = rounds_of({1000});
    stopped["stopped"] = true;
    CHECK_THAT(reports::baseline_problem(read_back(stopped, "base.json"), spec, true), ContainsSubstring("cannot be a baseline"));
    sim::MeasureTimespan two = spec;
    two.targets.push_back(spec.targets[0]);
    CHECK_THAT(reports::baseline_problem(read_back(rounds_of({1000}), "base.json"), two, true), ContainsSubstring("other files"));
}

TEST_CASE("other numbers of CPUs, and other warm-ups, are shown, but do not rule out a baseline") {
    ComparedJson before = rounds_of({1000, 1000});
    before["schedulers"] = 4;
    ComparedJson after = rounds_of({1000, 1000});
    after["schedulers"] = 1;
    after["warm_up_s"] = 30;
    const std::string text = reports::measure_comparison_text(compared_documents(before, after));
    CHECK_THAT(text, ContainsSubstring("The settings differ") && ContainsSubstring("schedulers: 4 -> 1") &&
                         ContainsSubstring("warm_up_s: 0 -> 30"));
    CHECK(reports::baseline_problem(read_back(before, "base.json"), test::measured_second(1, 1).spec, true).empty());
}

TEST_CASE("a measurement without verification is no baseline for one with it, nor the reverse") {
    const sim::MeasureTimespan spec = test::measured_second(1, 1).spec;
    ComparedJson before = rounds_of({1000});
    before["verify"] = false;
    CHECK_THAT(reports::baseline_problem(read_back(before, "base.json"), spec, true), ContainsSubstring("--verify was off, and is on"));
    CHECK(reports::baseline_problem(read_back(before, "base.json"), spec, false).empty());
    before["verify"] = true;
    CHECK_THAT(reports::baseline_problem(read_back(before, "base.json"), spec, false), ContainsSubstring("--verify was on, and is off"));
    CHECK(reports::baseline_problem(read_back(before, "base.json"), spec, true).empty());
}

TEST_CASE("a baseline fails figures that are worse by more than the tolerance and by more than chance") {
    const auto holds = [](const ComparedJson& before, const ComparedJson& after, double tolerance) {
        ComparedJson comparison = compared_documents(before, after);
        reports::judge_by_baseline(comparison, tolerance);
        CHECK(comparison["baseline"]["worse"].empty() == reports::holds_baseline(comparison));
        return reports::holds_baseline(comparison);
    };
    CHECK(holds(rounds_of({1000}), rounds_of({960}), 5));
    CHECK_FALSE(holds(rounds_of({1000}), rounds_of({940}), 5));
    CHECK(holds(rounds_of({1000}), rounds_of({2000}), 5));
    CHECK_FALSE(holds(rounds_of({1000}), rounds_of({999}), 0));
    // 10 % worse on average, but the rounds differ by more than that among themselves.
    CHECK(holds(rounds_of({1000, 1300, 700}), rounds_of({900, 1200, 600}), 5));
    CHECK_FALSE(holds(rounds_of({1000, 1001, 999}), rounds_of({900, 901, 899}), 5));
    ComparedJson comparison = compared_documents(rounds_of({1000}), rounds_of({500}));
    reports::judge_by_baseline(comparison, 2.5);
    CHECK_THAT(reports::baseline_text(comparison), ContainsSubstring("WORSE") && ContainsSubstring("50.0 % worse (allowed: 2.5 %)"));
}

TEST_CASE("a single stalled round does not hide that every round is worse than the baseline") {
    const auto judged = [](const std::vector<std::uint64_t>& before, const std::vector<std::uint64_t>& after, double tolerance) {
        ComparedJson comparison = compared_documents(rounds_of(before), rounds_of(after));
        reports::judge_by_baseline(comparison, tolerance);
        return comparison;
    };
    const std::vector<std::uint64_t> steady{1000, 1001, 999, 1000, 1000};
    const ComparedJson stalled = judged(steady, {880, 885, 875, 880, 100}, 5);
    CHECK(figure_row(stalled, 0, "reads", "/s")["verdict"] == "same");
    CHECK_FALSE(reports::holds_baseline(stalled));
    CHECK_THAT(reports::baseline_text(stalled), ContainsSubstring("27.6 % worse, in every round (allowed: 5 %)"));
    // One round as good as the tolerance allows, a larger tolerance, or so few rounds that the order may be chance.
    CHECK(reports::holds_baseline(judged(steady, {880, 885, 960, 880, 100}, 5)));
    CHECK(reports::holds_baseline(judged(steady, {880, 885, 875, 880, 100}, 15)));
    CHECK(reports::holds_baseline(judged({1000, 1001, 999}, {880, 885, 100}, 5)));
    CHECK(reports::holds_baseline(judged({880, 885, 875, 880, 100}, steady, 5)));
}

TEST_CASE("a storage that no longer answers does not hold its baseline") {
    const auto judged = [](const ComparedJson& before, const ComparedJson& after) {
        ComparedJson comparison = compared_documents(before, after);
        reports::judge_by_baseline(comparison, 5);
        return comparison;
    };
    const ComparedJson silent = judged(rounds_of({1000}), test::measured_document({test::measured_second(0, 0)}));
    CHECK_FALSE(reports::holds_baseline(silent));
    CHECK(figure_row(silent, 0, "reads", "/s")["after"] == 0.0);
    CHECK(figure_row(silent, 0, "reads, average", "us").is_null());
    // Nothing was written on either side, and both directions together would be the reads once more.
    CHECK(figure_row(silent, 0, "writes", "/s").is_null());
    CHECK(figure_row(silent, 0, "both", "/s").is_null());
    const ComparedJson unwritten = judged(test::measured_document({test::measured_second(1000, 100, 500, 100)}),
                                          test::measured_document({test::measured_second(1600, 100)}));
    CHECK_FALSE(reports::holds_baseline(unwritten));
    CHECK(figure_row(unwritten, 0, "writes", "/s")["change_percent"] == -100.0);
    CHECK(figure_row(unwritten, 0, "both", "/s")["after"] == 1600.0);
    const ComparedJson one_silent =
        judged(rounds_of({1000, 1000}), test::measured_document({test::measured_second(1000, 1000), test::measured_second(0, 0)}));
    CHECK(figure_row(one_silent, 0, "reads, average", "us").is_null());
}

TEST_CASE("two sweeps are compared point by point") {
    const std::vector<std::string> asked{"depth=2..8"};
    const ComparedJson comparison =
        compared_documents(sweep_of({1000, 1900, 2000}, asked), sweep_of({1000, 1900, 3600}, {"depth=2..8", "verify=off"}));
    CHECK(comparison["kind"] == "sweeps");
    REQUIRE(comparison["groups"].size() == 1);
    CHECK(figure_row(comparison, 0, "depth 8", "/s")["change_percent"].get<double>() == Approx(80));
    CHECK(figure_row(comparison, 0, "depth 2", "/s")["change_percent"] == 0);
    REQUIRE(comparison["asked"].size() == 1);
    CHECK(comparison["asked"][0]["name"] == "--verify");
    // A sweep has neither rounds nor --repeat.
    CHECK_THAT(reports::measure_comparison_text(comparison),
               ContainsSubstring("measures each point once") && !ContainsSubstring("round") && !ContainsSubstring("--repeat"));
    CHECK_THROWS_AS(compared_documents(sweep_of({1000}, asked), rounds_of({1000})), reports::ResultsDocumentError);
}

TEST_CASE("a document that is not a measurement is refused with the wrong place") {
    CHECK(reports::is_measured_document(reports::json_text(rounds_of({10}))));
    CHECK(reports::is_measured_document(reports::json_text(sweep_of({10}, {}))));
    CHECK_FALSE(reports::is_measured_document(R"({"program": "ioproof"})"));
    CHECK_THAT(measured_refusal("{"), ContainsSubstring("'x.json': it is not JSON"));
    CHECK_THAT(measured_refusal("[]"), ContainsSubstring("not a measurement of ioproof"));
    ComparedJson document = rounds_of({1000, 1000});
    document["version"] = 9;
    CHECK_THAT(measured_refusal(reports::json_text(document)), ContainsSubstring("version 9"));
    document = rounds_of({1000, 1000});
    document["rounds"]["totals"][1]["reads"]["latency"]["mean_ns"] = "fast";
    CHECK_THAT(measured_refusal(reports::json_text(document)), ContainsSubstring("rounds.totals[1].reads.latency.mean_ns is a string"));
    document = rounds_of({1000, 1000});
    document["rounds"]["totals"][0]["reads"]["requests_per_s"] = 1e200;
    CHECK_THAT(measured_refusal(reports::json_text(document)),
               ContainsSubstring("rounds.totals[0].reads.requests_per_s is 1e+200; allowed: 1e+18 or less"));
    document = rounds_of({1000});
    document["targets"][0].erase("path");
    CHECK_THAT(measured_refusal(reports::json_text(document)), ContainsSubstring("path"));
    sim::MeasureResults nothing;
    CHECK_THAT(measured_refusal(reports::json_text(reports::measure_json(nothing))), ContainsSubstring("nothing was measured"));
    document = sweep_of({1000}, {});
    document["series"][0]["points"][0].erase("latency_p99_us");
    CHECK_THAT(measured_refusal(reports::json_text(document)), ContainsSubstring("latency_p99_us"));
}

TEST_CASE("an interval that was cut short is not in the curves of a comparison") {
    sim::MeasureTimespanResults second = test::measured_second(1000, 500);
    second.spec.iops_interval_ms = 300;
    second.rows[0].intervals.resize(4);
    for (sim::MeasureInterval& interval : second.rows[0].intervals) interval.reads.requests = 300;
    second.rows[0].intervals[3].reads.requests = 100;
    const ComparedJson comparison = compared_documents(test::measured_document({second}), rounds_of({1000}));
    CHECK(comparison["before"]["intervals"]["requests"] == ComparedJson::parse("[300, 300, 300]"));
}

TEST_CASE("a comparison of measurements is a page with the values of each round, and nothing in it can end its script") {
    sim::MeasureTimespanResults second = test::measured_second(1000, 500, 0, 0, "</script><script>alert(1)");
    second.spec.iops_interval_ms = 500;
    second.rows[0].intervals.resize(2);
    second.rows[0].intervals[0].reads.requests = 400;
    second.rows[0].intervals[1].reads.requests = 600;
    const ComparedJson before = test::measured_document({second, second, second});
    const ComparedJson comparison = compared_documents(before, rounds_of({1000, 900, 1100}));
    CHECK(comparison["before"]["intervals"]["interval_ms"] == 500);
    CHECK(comparison["before"]["intervals"]["requests"] == ComparedJson::parse("[400, 600]"));
    CHECK(figure_row(comparison, 0, "reads", "/s")["after_values"] == ComparedJson::parse("[1000.0, 900.0, 1100.0]"));
    const std::string html = reports::html_measure_comparison(comparison);
    CHECK(html.find("</script><script>alert") == std::string::npos);
    CHECK_THAT(html, ContainsSubstring("<title>ioproof comparison</title>") && ContainsSubstring("before_values"));
    const std::string begin = "<script type=\"application/json\" id=\"data\">";
    const std::size_t at = html.find(begin) + begin.size();
    CHECK(ComparedJson::parse(html.substr(at, html.find("</script>", at) - at)) == comparison);
}
