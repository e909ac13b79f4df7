#include "reports/report_tables.hpp"

#include <cstdint>
#include <sstream>
#include <string>

#include "reports/verdict.hpp"
#include "tests/reports/example_results.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/count_of.hpp"

using reports::files_table;
using reports::findings_table;
using reports::thresholds_table;

TEST_CASE("rows of tables keep to 100 columns, with long facts and large figures, and nothing is cut but paths") {
    sim::Results results = example_results();
    results.outcome = sim::Outcome::failed;
    sim::FileResult& file = results.files[0];
    file.path = "/var/opt/mssql/storage/very/long/mount/point/of/the/new/array/lun-0042/testdata/sqliosim.mdx";
    file.max_io_time_us = 63'000'000;
    file.request_blocks_min = 100;
    file.request_blocks_mean = 512;
    file.request_blocks_max = 1024;
    file.throttle_count = 123'456;
    file.pages_verified = 123'456'789;
    file.findings = results.finding_count = 12'345;
    results.findings = {example_finding(), example_finding()};
    for (sim::Finding& finding : results.findings) finding.place.path = file.path;
    results.findings[0].place.page_id = 4'294'967'290;
    results.findings[1].place.page_id = 4'294'967'291;
    results.findings[1].received.value().version = 2;
    sim::ThresholdResult limit;
    limit.expression = "log_flush.p99.9 >= 1000 ms in a file whose name has many words before testdata/sqliosim.mdx";
    limit.measured = "1.5 s";
    limit.path = file.path;
    limit.io_class = "gather_write";
    results.thresholds = {limit};
    const std::string tables = files_table(results, reports::verdict_of(results)) + thresholds_table(results) + findings_table(results);
    std::istringstream lines(tables);
    for (std::string line; std::getline(lines, line);) {
        INFO(line);
        CHECK(line.size() <= 100);
    }
    CHECK_THAT(tables, ContainsSubstring("512") && ContainsSubstring("(100-1024)") && ContainsSubstring("12,345"));
    CHECK_THAT(tables, ContainsSubstring("before") && ContainsSubstring("2 pages, first:") && ContainsSubstring("5 was"));
}

TEST_CASE("a file without requests has no longest one") {
    sim::FileResult file;
    file.path = "/data/sqliosim.mdx";
    file.size_bytes = 1 << 20;
    sim::Results results = example_results();
    results.files = {file};
    CHECK_THAT(files_table(results, reports::verdict_of(results)), ContainsSubstring("sqliosim.mdx") && !ContainsSubstring("0 us"));
}

TEST_CASE("pages that are found again share a line of their own, with the time at which that began") {
    sim::Results results = example_results();
    for (const std::uint32_t page : {100U, 101U, 102U, 101U, 100U, 102U}) {
        sim::Finding finding = example_finding();
        finding.number = results.findings.size() + 1;
        finding.place.page_id = page;
        finding.moment.tick_ms = finding.number * 1'000;
        results.findings.push_back(finding);
    }
    results.finding_count = 6;
    const std::string table = findings_table(results);
    CHECK_THAT(table, ContainsSubstring("  1  1.0 s  ") && ContainsSubstring("  4  4.0 s  "));
    CHECK(count_of(table, "100-102") == 2);
    CHECK(count_of(table, "3 pages") == 2);
}
