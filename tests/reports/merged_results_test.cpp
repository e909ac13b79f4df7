// Several results files as one.
#include "reports/merged_results.hpp"

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>

#include "reports/html_page.hpp"
#include "reports/results_document.hpp"
#include "reports/text_report.hpp"
#include "tests/reports/merged_parts.hpp"
#include "tests/support/catch.hpp"

using Json = nlohmann::ordered_json;
using test::part_of;
using test::Parts;
using test::ranked_part;
using test::turn_part;

TEST_CASE("the counts of several hosts are the sums of their parts, and each has a row") {
    Parts files;
    for (std::uint64_t number = 1; number <= 3; ++number) files.add(part_of(number));
    const Json group = files.merged();
    CHECK(group["document"] == "ioproof merged report");
    CHECK(group["verdict"] == "PASS");
    CHECK(group["group"].is_null());
    REQUIRE(group["hosts"].size() == 3);
    for (const auto& [key, sum] : group["counters"].items()) {
        std::uint64_t parts = 0;
        for (const Json& results : files.results) {
            for (const Json& file : results["files"]) parts += file[key].get<std::uint64_t>();
        }
        INFO(key);
        CHECK(sum == parts);
    }
    CHECK(group["counters"]["pages_verified"].get<std::uint64_t>() > 0);
    // 2 files of each run, each with 100, 200, 300 requests of each class.
    CHECK(group["latency"]["read"]["count"] == 1200);
    CHECK(group["latency"]["read"]["max_ns"] == 300 * 30'000);
    CHECK(group["users"][0]["cycles"] == 3 * files.results[0]["users"][0]["cycles"].get<std::uint64_t>());
    CHECK(group["waits"][1]["max_wait_us"] == files.results[0]["waits"][1]["max_wait_us"]);
    // One axis: each began ten seconds after the one before.
    CHECK(group["hosts"][2]["begin_us"] == 20'000'000);
    CHECK(group["hosts"][2]["series"]["start_us"][1] == 21'000'000);
    CHECK(group["clock"] == "hosts");
    const std::string text = reports::merged_text(group);
    CHECK_THAT(text, ContainsSubstring("PASS: all 3 results:") && ContainsSubstring("r2.json") && ContainsSubstring("were not"));
    // No promises were made to them.
    CHECK_THAT(group["headline"].get<std::string>(), ContainsSubstring("Each run got back") && !ContainsSubstring("promised"));
}

TEST_CASE("several results as one say first which of them is a rehearsal, and so does the page of one") {
    Parts files;
    for (std::uint64_t number = 1; number <= 2; ++number) files.add(part_of(number, number == 2));
    files.results[0]["run"].erase("rehearsal");  // of an earlier version
    CHECK_THAT(reports::merged_text(files.merged()), !ContainsSubstring("REHEARSAL"));
    files.results[1]["run"]["rehearsal"] = "stale_read:0.001";
    const Json group = files.merged();
    CHECK(group["remarks"][0] ==
          "r1.json: REHEARSAL: faults are injected on purpose: stale_read:0.001. What is found says nothing about "
          "the storage.");
    CHECK_THAT(reports::merged_text(group), ContainsSubstring("* r1.json: REHEARSAL: faults"));
    CHECK_THAT(reports::html_report(files.results[1]), ContainsSubstring("data.run.rehearsal ?"));
}

TEST_CASE("a figure that only one of two versions has is still added up") {
    Parts files;
    for (std::uint64_t number = 1; number <= 3; ++number) files.add(part_of(number));
    REQUIRE_FALSE(files.results[1]["users"].empty());
    files.results[1]["users"][0]["of_a_newer_version"] = 5U;
    files.results[2]["users"][0]["of_a_newer_version"] = 6U;
    const Json group = files.merged();
    REQUIRE(group["users"][0].contains("of_a_newer_version"));
    CHECK(group["users"][0]["of_a_newer_version"] == 11);
}

TEST_CASE("each host's row has the facts and figures of its own results file") {
    Parts files;
    files.add(ranked_part(1, 0, 2));
    files.add(ranked_part(2, 1, 2));
    Json& part = files.results[1];
    part["finding_count"] = 11;
    part["warning_count"] = 12;
    part["version"] = "9.8";
    part["run"]["duration_us"] = 13;
    std::uint64_t figure = 1000;
    for (Json& file : part["files"]) {
        for (const char* key : {"reads", "scatter_reads", "writes", "gather_writes", "read_bytes", "written_bytes", "pages_verified",
                                "long_ios", "write_retries", "grown_count", "shrunk_count", "throttle_count", "total_io_time_us"}) {
            file[key] = ++figure;
        }
        for (const char* column : {"reads", "writes", "read_bytes", "written_bytes", "read_time_us", "write_time_us"}) {
            file["series"][column][5] = ++figure;
        }
    }
    const Json merged = files.merged();
    const Json& host = merged["hosts"][1];
    CHECK(host["name"] == "rank 1 on node-b");
    CHECK(host["results_file"] == "r1.json");
    CHECK(host["rank"] == 1);
    CHECK(host["turn"].is_null());
    CHECK(host["host"] == "node-b");
    CHECK(host["run_id"] == part["run"]["run_id"]);
    CHECK(host["version"] == "9.8");
    CHECK(host["is_verification"] == false);
    CHECK(host["start_utc"] == part["run"]["start_utc"]);
    CHECK(host["clock_offset_us"] == -1000);
    CHECK(host["clock_error_us"] == 200);
    CHECK(host["begin_us"] == 10'000'000);
    CHECK(host["duration_us"] == 13);
    CHECK(host["judgement"] == part["verdict"]["judgement"]);
    CHECK(host["reason"] == part["verdict"]["reasons"][0]["text"]);
    CHECK(host["finding_count"] == 11);
    CHECK(host["warning_count"] == 12);
    CHECK(host["files"] == 2);
    const auto sum = [&](const Json& a, const Json& b) { return a.get<std::uint64_t>() + b.get<std::uint64_t>(); };
    CHECK(host["counters"].size() == 13);
    for (const auto& [key, value] : host["counters"].items()) CHECK(value == sum(part["files"][0][key], part["files"][1][key]));
    for (const char* column : {"reads", "writes", "read_bytes", "written_bytes", "read_time_us", "write_time_us"}) {
        CHECK(host["series"][column][5] == sum(part["files"][0]["series"][column][5], part["files"][1]["series"][column][5]));
    }
    CHECK(host["series"]["start_us"][5] == 10'000'000 + part["intervals"]["start_us"][5].get<std::uint64_t>());
    CHECK(host["series"]["duration_us"] == part["intervals"]["duration_us"]);
    CHECK(host["series"]["phase"] == part["intervals"]["phase"]);
    CHECK(merged["program_version"] == "1.2.3");
    CHECK(merged["clock"] == "witness");
    CHECK(merged["begin_utc"] == "2025-11-24T16:00:09.999000Z");
    CHECK(merged["group"]["name"] == "night-1");
    CHECK(merged["group"]["plan"] == "side-by-side");
    CHECK(merged["group"]["of"] == 2);
    CHECK(merged["group"]["turns"] == 0);
    CHECK(merged["group"]["witness"] == "10.0.0.5:7017");
}

TEST_CASE("findings and warnings of several hosts are added up separately") {
    Parts files;
    for (std::uint64_t number = 1; number <= 2; ++number) {
        files.add(part_of(number));
        files.results.back()["finding_count"] = 10 * number;
        files.results.back()["warning_count"] = 7 * number;
    }
    const Json group = files.merged();
    CHECK(group["finding_count"] == 30);
    CHECK(group["warning_count"] == 21);
}

TEST_CASE("the tables of several hosts fit a terminal, however long their names and figures are") {
    Parts files;
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
        files.add(ranked_part(rank + 1, rank, 3, rank == 1));
        files.results.back()["group"]["host"] = "a-node-with-a-name-as-long-as-some-clusters-have-them.example.org";
        files.results.back()["run"]["duration_us"] = 86'400'000'000 + rank;
        for (Json& file : files.results.back()["files"]) file["pages_verified"] = 12'345'678'901;
    }
    std::istringstream lines(reports::merged_text(files.merged()));
    for (std::string line; std::getline(lines, line);) {
        INFO(line);
        CHECK(line.size() <= reports::kReportColumns);
    }
}

TEST_CASE("one failed host fails all, and its findings are sorted among the others' by time") {
    Parts files;
    files.add(ranked_part(1, 0, 3));
    files.add(ranked_part(2, 1, 3, true));
    files.add(ranked_part(3, 2, 3));
    const Json group = files.merged();
    CHECK(group["verdict"] == "FAIL");
    CHECK(group["finding_count"] == files.results[1]["finding_count"]);
    REQUIRE(group["findings"].size() == files.results[1]["findings"].size());
    CHECK(group["findings"][0]["host"] == 1);
    CHECK(group["findings_by_kind"][0]["kind"] == "stale_read");
    CHECK_THAT(reports::merged_text(group), ContainsSubstring("FAIL: 1 of 3 ranks failed.") && ContainsSubstring("* rank 1 on node-b:"));
}

TEST_CASE("hosts that only exceed a limit are called slow, and wrong data outrank that") {
    Parts files;
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        Json slow = ranked_part(rank + 1, rank, 3);
        slow["verdict"]["judgement"] = "FAIL";
        slow["verdict"]["reasons"][0]["id"] = rank == 0 ? "threshold" : "threshold_incomplete";
        files.add(std::move(slow));
    }
    files.add(ranked_part(3, 2, 3));
    Json group = files.merged();
    CHECK(group["verdict"] == "FAIL");
    CHECK_THAT(group["headline"].get<std::string>(),
               ContainsSubstring("2 of 3 ranks failed: the storage is slower than you allow.") && !ContainsSubstring("trust"));
    files.results[2] = ranked_part(3, 2, 3, true);
    group = files.merged();
    CHECK_THAT(group["headline"].get<std::string>(), ContainsSubstring("3 of 3 ranks failed. Do not trust this storage"));
}

TEST_CASE("a finding of a log or of a file as a whole is not said to be in page 0") {
    Parts files;
    files.add(ranked_part(1, 0, 2));
    files.add(ranked_part(2, 1, 2, true));
    const std::string of_pages = reports::merged_text(files.merged());
    CHECK_THAT(of_pages, ContainsSubstring("0x2aa8c000):"));
    Json& findings = files.results.back()["findings"];
    REQUIRE(findings.size() == 3);
    for (Json& finding : findings) finding["page"] = 0;
    findings[0]["byte_offset"] = 0x3200;
    findings[1]["operation"] = "sync";
    findings[2]["byte_offset"] = 0x5000;
    const std::string text = reports::merged_text(files.merged());
    CHECK_THAT(text, ContainsSubstring("0x3200:") && ContainsSubstring("sync:") && !ContainsSubstring("page 0"));
}

TEST_CASE("files that do not form one result are refused with a reason") {
    Parts twice;
    twice.add(part_of(1));
    twice.add(part_of(1));
    CHECK_THROWS_WITH(twice.merged(), ContainsSubstring("'r0.json' and 'r1.json' are of the same run"));
    Parts same_rank;
    same_rank.add(ranked_part(1, 0, 2));
    same_rank.add(ranked_part(2, 0, 2));
    CHECK_THROWS_WITH(same_rank.merged(), ContainsSubstring("both of rank 0"));
    Parts mixed;
    mixed.add(ranked_part(1, 0, 2));
    mixed.add(part_of(2));
    CHECK_THROWS_WITH(mixed.merged(), ContainsSubstring("'r1.json' is of no group"));
    Parts earlier;
    for (const std::uint32_t turn : {1U, 2U}) earlier.add(turn_part(turn, 2, nullptr));
    earlier.results[1]["run"]["run_id"] = "00000000000000fd";
    CHECK_THROWS_WITH(earlier.merged(), ContainsSubstring("'r0.json' and 'r1.json' are of different runs"));
    earlier.results[1]["verdict"]["judgement"] = "FAIL";  // the volume may have been another one
    CHECK(earlier.merged()["verdict"] == "FAIL");
    Parts inexact;
    inexact.add(part_of(1));
    inexact.add(part_of(2));
    inexact.results[1]["files"][0]["latency"]["read"]["buckets_ns"].erase(0);
    CHECK_THROWS_WITH(inexact.merged(), ContainsSubstring("'r1.json'") && ContainsSubstring("cannot be added up"));
    Parts odd;
    odd.add(ranked_part(1, 0, 2));
    odd.add(ranked_part(2, 1, 2));
    odd.results[1]["group"]["rank"] = "one";
    CHECK_THROWS_WITH(odd.merged(), ContainsSubstring("its group's 'rank' is not a number from 0 to 1"));
    odd.results[1]["group"]["rank"] = 2;
    CHECK_THROWS_AS(odd.merged(), reports::ResultsDocumentError);
    odd.results[1]["group"] = ranked_part(2, 1, 2)["group"];
    odd.results[1]["group"]["clock"]["offset_us"] = std::numeric_limits<std::int64_t>::max();
    CHECK_THROWS_WITH(odd.merged(), ContainsSubstring("its group's 'offset_us' is not the difference of two clocks"));
    odd.results[1]["group"]["clock"]["offset_us"] = 0;
    odd.results[1]["run"]["start_utc"] = "yesterday";
    CHECK_THROWS_WITH(odd.merged(), ContainsSubstring("not a time in UTC"));
}

TEST_CASE("the page of several hosts holds all of them and loads nothing") {
    Parts files;
    files.add(ranked_part(1, 0, 2));
    files.add(ranked_part(2, 1, 2, true));
    files.results[0]["group"]["host"] = "</script><img src=x>";
    const std::string html = reports::html_merged(files.merged());
    CHECK_THAT(html, ContainsSubstring("<title>FAIL: ioproof, 2 hosts</title>") && ContainsSubstring("default-src 'none'"));
    CHECK(html.find("<img") == std::string::npos);
    CHECK_THAT(html, ContainsSubstring("rank 1 on node-b"));
    for (const char* loader : {"<link", " src=\"", "@import", "url("}) CHECK(html.find(loader) == std::string::npos);
}
