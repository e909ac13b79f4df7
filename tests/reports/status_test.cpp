#include "reports/status.hpp"

#include <nlohmann/json.hpp>

#include "reports/progress_line.hpp"
#include "reports/text.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/text_wrap.hpp"

using namespace reports;

namespace {

sim::Progress progress_with(std::uint64_t io_count) {
    sim::Progress progress;
    progress.phase = sim::Phase::main_run;
    progress.io_count = io_count;
    progress.io_bytes = io_count << 20;
    progress.findings = 2;
    progress.files = {{"/data/a\"b\\c\xff\n\x1b.mdx", 1500, 42}};
    return progress;
}

StatusBoard example_board() {
    StatusBoard board({.version = "1.2", .seed = 18446744073709551615ULL, .engine = "uring", .start_utc_us = 7});
    board.update(progress_with(100), 1'000'000);
    board.update(progress_with(300), 3'000'000);
    return board;
}

}  // namespace

TEST_CASE("status: the JSON can be parsed, and has the course of the last seconds") {
    const auto json = nlohmann::json::parse(status_json(example_board()));
    CHECK(json["seed"] == "18446744073709551615");
    CHECK(json["phase"] == "main run");
    CHECK(json["io_count"] == 300);
    CHECK(json["files"][0]["request_blocks"] == 42);
    REQUIRE(json["samples"].size() == 2);
    CHECK(json["samples"][1]["ios_per_second"] == 100.0);
    CHECK(json["samples"][1]["mb_per_second"] == 100.0);
}

TEST_CASE("status: metrics have Prometheus' format, with escaped labels") {
    const std::string text = status_metrics(example_board());
    CHECK_THAT(text, ContainsSubstring("# TYPE ioproof_io_requests_total counter\nioproof_io_requests_total 300\n"));
    CHECK_THAT(text, ContainsSubstring("ioproof_findings_total 2\n"));
    CHECK_THAT(text, ContainsSubstring("ioproof_file_request_blocks{file=\"/data/a\\\"b\\\\c"));
    CHECK_THAT(text, ContainsSubstring("_average_seconds{file=\"/data/a\\\"b\\\\c\\\\xff\\\\u000a\\\\u001b.mdx\"} 0.0015\n"));
    CHECK_THAT(text, ContainsSubstring("ioproof_phase_info{phase=\"main run\"} 1\n"));
}

TEST_CASE("status: counters never decrease, and the history is bounded") {
    StatusBoard board = example_board();
    board.update(progress_with(250), 4'000'000);
    CHECK(board.progress().io_count == 300);
    CHECK(board.samples().back().rates.ios_per_second == 0.0);
    for (std::uint64_t i = 0; i < 1000; ++i) board.update(progress_with(1000 + i), 5'000'000 + i * 1'000'000);
    CHECK(board.samples().size() == StatusBoard::kSamplesMax);
}

TEST_CASE("status: the page loads nothing from elsewhere") {
    const std::string page = status_page();
    CHECK_THAT(page, ContainsSubstring("fetch('/status.json'") && !ContainsSubstring("src=") && !ContainsSubstring("@import"));
}

TEST_CASE("a sparkline: the highest value is full, zero is flat, and only the last values count") {
    CHECK(sparkline({0, 1, 2, 4, 8}, 16) == "▁▂▃▅█");
    CHECK(sparkline({100, 0, 1}, 2) == "▁█");
    CHECK(sparkline({0, 0}, 16) == "▁▁");
    CHECK(sparkline({}, 16).empty());
}

TEST_CASE("the progress line shows the course if there is room, in columns, not bytes") {
    const std::string course = sparkline({1, 2, 3}, kSparklineColumns);
    const std::string wide = progress_line(progress_with(1), {}, 120, course);
    CHECK_THAT(wide, ContainsSubstring(course));
    CHECK(ums::display_width(wide) == 120);
    const std::string narrow = progress_line(progress_with(1), {}, 79, course);
    CHECK(narrow == progress_line(progress_with(1), {}, 79));
    CHECK(ums::display_width(progress_line(progress_with(1), {}, 10, course)) == 10);
}
