#include "reports/status.hpp"

#include <nlohmann/json.hpp>

#include "reports/progress_line.hpp"
#include "reports/text.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/figures.hpp"
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

TEST_CASE("status: each figure is in the JSON under its own name") {
    StatusHead head;
    test::Figures figures;
    figures.set(head.version, "ioproof");
    figures.set(head.engine, "engine");
    figures.set(head.start_utc_us, "start_utc_us");
    figures.set(head.rehearsal, "rehearsal");
    sim::Progress progress;
    figures.set(progress.cycle, "cycle");
    figures.set(progress.cycles, "cycles");
    figures.set(progress.elapsed_us, "phase_elapsed_us");
    figures.set(progress.phase_duration_us, "phase_duration_us");
    figures.set(progress.done_fraction, "done_fraction");
    figures.set(progress.io_count, "io_count");
    figures.set(progress.io_bytes, "io_bytes");
    figures.set(progress.pages_verified, "pages_verified");
    figures.set(progress.findings, "findings");
    figures.set(progress.warnings, "warnings");
    figures.set(progress.throttle_count, "throttle_count");
    figures.set(progress.outstanding_io, "outstanding_io");
    figures.set(progress.lost_requests, "lost_requests");
    progress.files.resize(1);
    test::Figures file;
    file.set(progress.files[0].path, "path");
    file.set(progress.files[0].average_io_duration_us, "average_io_duration_us");
    file.set(progress.files[0].request_blocks, "request_blocks");
    progress.long_calls.resize(1);
    test::Figures call;
    call.set(progress.long_calls[0].name, "call");
    call.set(progress.long_calls[0].path, "path");
    call.set(progress.long_calls[0].duration_us, "duration_us");
    std::uint64_t run_elapsed_us = 0;
    figures.set(run_elapsed_us, "run_elapsed_us");
    StatusBoard board(head);
    board.update(progress, run_elapsed_us);
    const auto json = nlohmann::ordered_json::parse(status_json(board));
    CHECK(figures.wrong_in(json) == "");
    CHECK(file.wrong_in(json["files"].at(0)) == "");
    CHECK(call.wrong_in(json["long_calls"].at(0)) == "");
    CHECK(json["samples"].at(0)["run_elapsed_us"] == run_elapsed_us);
    CHECK_FALSE(json.contains("group"));
}

TEST_CASE("status: each fact of a group is in the JSON under its own name") {
    sim::GroupResult group;
    test::Figures facts;
    facts.set(group.name, "name");
    facts.set(group.plan, "plan");
    facts.set(group.rank, "rank");
    facts.set(group.of, "of");
    group.missing_ranks = {4};
    sim::TurnResult turn;
    facts.set(turn.number, "turn");
    facts.set(turn.turns, "turns");
    group.turn = turn;
    sim::GroupMemberResult& other = group.members.emplace_back();
    test::Figures member;
    member.set(other.rank, "rank");
    member.set(other.host, "host");
    member.set(other.state, "state");
    member.set(other.clock_offset_us, "clock_offset_us");
    StatusBoard board(StatusHead{});
    board.set_group(group);
    const auto json = nlohmann::ordered_json::parse(status_json(board))["group"];
    CHECK(facts.wrong_in(json) == "");
    CHECK(member.wrong_in(json["members"].at(0)) == "");
    CHECK(json["missing_ranks"] == nlohmann::ordered_json::array({4}));
}

TEST_CASE("status: each metric has its own figure") {
    sim::Progress progress;
    progress.cycle = 101;
    progress.elapsed_us = 102'000'000;
    progress.io_count = 103;
    progress.io_bytes = 104;
    progress.pages_verified = 105;
    progress.findings = 106;
    progress.warnings = 107;
    progress.throttle_count = 108;
    progress.outstanding_io = 109;
    progress.lost_requests = 110;
    progress.long_calls.resize(114);
    sim::GroupResult group;
    group.of = 112;
    group.missing_ranks = {1, 2};
    group.turn.emplace().number = 113;
    StatusBoard board({.version = "1.2", .seed = 1, .engine = "uring", .start_utc_us = 7});
    board.update(progress, 111'000'000);
    board.set_group(group);
    const std::string text = status_metrics(board);
    for (const char* line :
         {"ioproof_build_info{version=\"1.2\"} 1", "ioproof_cycle 101", "ioproof_phase_elapsed_seconds 102",
          "ioproof_io_requests_total 103", "ioproof_io_bytes_total 104", "ioproof_pages_verified_total 105", "ioproof_findings_total 106",
          "ioproof_warnings_total 107", "ioproof_throttles_total 108", "ioproof_outstanding_io 109", "ioproof_lost_requests 110",
          "ioproof_run_elapsed_seconds 111", "ioproof_group_ranks 112", "ioproof_group_missing_ranks 2", "ioproof_group_turn 113",
          "ioproof_long_calls 114"}) {
        CHECK_THAT(text, ContainsSubstring("\n" + std::string(line) + "\n"));
    }
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

TEST_CASE("status: the page shows warnings beside findings") {
    CHECK_THAT(status_page(),
               ContainsSubstring("card('findings', count(s.findings), s.findings > 0), card('warnings', count(s.warnings))"));
}

TEST_CASE("status: the page names the calls that do not return, and for how long") {
    CHECK_THAT(status_page(), ContainsSubstring("c.call + ' of ' + c.path + ' has not returned for ' + clock(c.duration_us)"));
}

TEST_CASE("status: the boxes of the page are never narrower than their figures, which grow for weeks") {
    CHECK_THAT(status_page(),
               ContainsSubstring(".cards { display: flex; flex-wrap: wrap;") && ContainsSubstring(".card { flex: 1 0 7.5rem;"));
}

TEST_CASE("status: the page of a rehearsal says so, also in its title") {
    CHECK_THAT(status_page(), ContainsSubstring("at('rehearsal').hidden = !s.rehearsal;") &&
                                  ContainsSubstring("document.title = (s.rehearsal ? 'REHEARSAL, ' : '')"));
}

TEST_CASE("status: a browser without JavaScript says why the page is empty") {
    CHECK_THAT(status_page(), ContainsSubstring("<noscript><p class=\"bad\">This page shows nothing of the run without JavaScript.</p>"));
}

TEST_CASE("status: the page speaks of one request that did not come back as one") {
    CHECK_THAT(status_page(), ContainsSubstring("(s.lost_requests === 1 ? ' request' : ' requests')"));
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
