#include "reports/text_report.hpp"

#include <sstream>

#include "reports/report_tables.hpp"
#include "reports/verdict.hpp"
#include "tests/reports/prepared_results.hpp"
#include "tests/support/catch.hpp"

using reports::files_table;
using reports::findings_table;
using reports::outcome_text;
using reports::text_report;

namespace {

// The report without the final summaries, which have their own test.
std::string own_part(const std::string& report) {
    const std::size_t begin = report.find("Stress Test Attempt Complete\n");
    REQUIRE(begin != std::string::npos);
    return report.substr(begin);
}

sim::Results failed_results() {
    sim::Results results = example_results();
    results.outcome = sim::Outcome::failed;
    results.outcome_reason = "StopOnError ended the run at the first finding.";
    results.findings = {example_finding()};
    results.finding_count = 1;
    results.files[0].findings = 1;
    return results;
}

}  // namespace

TEST_CASE("the report of a passed run has the expected text") {
    CHECK(own_part(text_report(example_results())) == R"(Stress Test Attempt Complete

ioproof 0.1.0, run 5eed000000000001, seed 20260101
started 2025-11-24 16:00:00 UTC, took 5 min 52 s: 1 cycle, 2 schedulers, buffer
    pool 2 GB
I/O engine: uring

Pages read, written and verified; the log in MB/s
  Phase                 time       read  MB/s    written  MB/s   log   verified
  create files         1.2 s          -     -          -     -  41.3          -
  initial update      13.3 s    524,288   308    524,288   308   4.8    524,288
  initial checkpoint  740 ms          -     -     21,004   222   0.0          -
  main run             300 s  8,067,555   210  8,536,901   222  30.7  8,067,555
  final checkpoint     1.4 s          -     -     44,091   233   0.0          -
  final audit          9.8 s    524,288   418          -     -     -    524,288

  User            tasks   cycles  pages read  pages changed  rollbacks     log
  RandomUser          4   91,204   6,831,402      6,148,100     68,021    7 GB
  AuditUser           2    2,804     179,456              -          -       -
  ReadAheadUser       2    2,911     139,728              -          -       -
  BulkUpdateUser      4    9,551     916,969        916,969          -    2 GB
  ShrinkUser          1        -           -              -          -       -
  Checkpoint          1      291           -      7,011,222          -  291 KB
  LazyWriter          1   14,081           -      1,525,679          -       -
  LogWriter           1  316,141           -              -          -    9 GB

  Wait              count        total  average  longest  average signal
  PAGEIOLATCH_SH  446,776   1 h 25 min    11 ms   248 ms           20 us
  WRITELOG        316,141  22 min 26 s   4.2 ms    31 ms           12 us
  PAGELATCH_EX      9,001       41.0 s   4.5 ms    18 ms           33 us
  REQUEST_BLOCK       382        3.8 s    10 ms    41 ms            5 us

  Scheduler    switches  yields  quantum overruns    idle  I/O requests
  0          12,345,678  88,123                12  20.1 %     1,204,331
  1          11,998,004  86,004                 9  25.1 %     1,199,871

  File                 size  average  longest  blocks  throttled   verified  speed  data
  /data/sqliosim.mdx   4 GB        -   248 ms     108        382  9,116,131  -      right
  /log/sqliosim.ldx   50 MB        -    31 ms       8          -          -  -      no errors

What the figures mean
  /data/sqliosim.mdx: fair
    * 382 times a request completed while the average was above the target of
      100 ms, and the load was held back: at times requests took too long.
      -> The time series shows when. A file on a better path has fewer, ideally
         none.

PASS: 9,116,131 page reads were verified: no corrupt, stale or missing pages. In
this run the storage kept what it was given.
)");
}

TEST_CASE("the report begins with the verdict and the final summary of every file, and ends with the verdict") {
    const std::string report = text_report(example_results());
    const std::string outcome = outcome_text(example_results());
    CHECK(report.find(outcome + "\n********** Final Summary for file /data/sqliosim.mdx **********\nFile Attributes: ") == 0);
    CHECK(report.ends_with("\n" + outcome));
    CHECK_THAT(report, ContainsSubstring("\n********** Final Summary for file /log/sqliosim.ldx **********\nFile Attributes: "));
    CHECK_THAT(report, ContainsSubstring("Storage manager name = unknown\nStress Test Attempt Complete\n"));
}

TEST_CASE("a finding is listed with its facts, counted for its file, and decides the last line") {
    const std::string report = own_part(text_report(failed_results()));
    CHECK_THAT(report, ContainsSubstring(R"(
  File                 size  average  longest  blocks  throttled   verified  speed  data
  /data/sqliosim.mdx   4 GB        -   248 ms     108        382  9,116,131  -      BAD: 1
  /log/sqliosim.ldx   50 MB        -    31 ms       8          -          -  -      nothing found

Findings: 1
  #          at  File                 page  kind        what came back
  6  1 min 01 s  /data/sqliosim.mdx  87366  lost write  version 3 came back, 5 was written
)"));
    CHECK_THAT(report,
               ContainsSubstring(
                   "\nFAIL: 1 finding (lost write). Do not trust this storage with a database until\nthe cause is found. StopOnError"));
}

TEST_CASE("a finding in a log is listed with its offset, and mentions blocks") {
    sim::Results results = failed_results();
    sim::Finding& finding = results.findings.front();
    finding.kind = sim::FindingKind::log_stale_block;
    finding.place.path = "/log/sqliosim.ldx";
    finding.place.is_log = true;
    finding.place.page_id = 0;
    finding.place.offset_bytes = 0x3200;
    finding.kind = sim::FindingKind::log_stale_block;
    CHECK_THAT(text_report(results), ContainsSubstring("/log/sqliosim.ldx  0x3200  stale log block  an older block came back\n"));
    for (const auto kind : {sim::FindingKind::log_gap, sim::FindingKind::log_block_damaged, sim::FindingKind::log_stale_block,
                            sim::FindingKind::io_error, sim::FindingKind::short_transfer}) {
        finding.kind = kind;
        CHECK_THAT(text_report(results), !ContainsSubstring("page 0") && !ContainsSubstring("version 3"));
    }
}

TEST_CASE("twenty findings are listed and the others are counted") {
    sim::Results results = failed_results();
    results.findings.assign(30, example_finding());
    for (std::size_t i = 0; i < 30; ++i) results.findings[i].number = i + 1;
    results.finding_count = 1'234;
    const std::string report = text_report(results);
    CHECK_THAT(report, ContainsSubstring("\nFindings: 1,234\n"));
    CHECK_THAT(report, ContainsSubstring("\n  20  1 min 01 s  "));
    CHECK(report.find("\n  21  1 min 01 s  ") == std::string::npos);
    CHECK_THAT(report, ContainsSubstring("\n  ... and 1,214 more; the XML log has them all.\n"));
}

TEST_CASE("the first finding of each kind is listed, even after twenty others, and counts of kinds beyond those kept are minimums") {
    sim::Results results = failed_results();
    results.findings.assign(30, example_finding());
    for (std::size_t i = 0; i < 30; ++i) {
        results.findings[i].number = i + 1;
        results.findings[i].place.page_id = static_cast<std::uint32_t>(1000 + 2 * i);
    }
    results.findings[28].kind = sim::FindingKind::reverted_page;
    results.finding_count = 30;
    const std::string all_kept = text_report(results);
    CHECK_THAT(all_kept, ContainsSubstring("\n  29  1 min 01 s  ") && ContainsSubstring("\n  ... and 9 more; the XML log has them all.\n"));
    CHECK_THAT(all_kept, ContainsSubstring("  * 29 lost writes (first: "));
    results.finding_count = 31;
    CHECK_THAT(text_report(results), ContainsSubstring("  * at least 29 lost writes (first: "));
}

TEST_CASE("every kind of finding says what came back") {
    sim::Results results = failed_results();
    sim::Finding finding = example_finding();
    finding.received.value().checksum = 0x1234;
    finding.received.value().calculated_checksum = 0xdeadbeef;
    finding.received.value().page_id = 12;
    finding.received.value().file_id = 2;
    finding.failure = {.error_code = 5, .error_text = "Input/output error"};
    results.findings.clear();
    finding.comparison.value().wrong_bits = 3;
    finding.comparison.value().wrong_bytes = 2;
    for (const auto kind : {sim::FindingKind::bit_corruption, sim::FindingKind::misdirected_read, sim::FindingKind::zeroed_page,
                            sim::FindingKind::short_transfer, sim::FindingKind::io_error}) {
        finding.kind = kind;
        results.findings.push_back(finding);
    }
    finding.kind = sim::FindingKind::foreign_page;
    finding.expected.value().version = 0;
    results.findings.push_back(finding);
    finding.expected.reset();
    finding.place.page_id += 100;
    results.findings.push_back(finding);
    results.finding_count = results.findings.size();
    const std::string report = text_report(results);
    CHECK_THAT(report, ContainsSubstring("  bit corruption    3 wrong bits in 2 bytes\n"));
    CHECK_THAT(report, ContainsSubstring("  misdirected read  holds page 12 of file 2\n"));
    CHECK_THAT(report, ContainsSubstring("  zeroed page       zeros, version 5 was written\n"));
    CHECK_THAT(report, ContainsSubstring("  short transfer    read: fewer bytes than asked for\n"));
    CHECK_THAT(report, ContainsSubstring("  I/O error         read: Input/output error (5)\n"));
    CHECK_THAT(report, ContainsSubstring("  foreign page      foreign data, nothing was written\n"));
    CHECK_THAT(report, ContainsSubstring("  foreign page      foreign data\n"));
    CHECK_THAT(report, ContainsSubstring("FAIL: 7 findings (bit corruption, misdirected read, zeroed page, short"));
}

TEST_CASE("the report does not praise the speed of a file with findings") {
    sim::Results results = sound_results();
    const reports::Verdict good = reports::verdict_of(results);
    CHECK_THAT(files_table(results, good), ContainsSubstring("good   right"));
    results.files[0].findings = results.finding_count = 1;
    const std::string table = files_table(results, reports::verdict_of(results));
    const std::string row =
        table.substr(table.find("sqliosim.mdx"), table.find('\n', table.find("sqliosim.mdx")) - table.find("sqliosim.mdx"));
    CHECK_THAT(row, ContainsSubstring("BAD: 1") && !ContainsSubstring("good") && !ContainsSubstring("right"));
}

TEST_CASE("each file in the table has the speed of its own verdict") {
    const sim::Results results = sound_results();
    reports::Verdict verdict = reports::verdict_of(results);
    REQUIRE(verdict.files.size() == 2);
    verdict.files[0].speed = reports::Grade::good;
    verdict.files[1].speed = reports::Grade::poor;
    const std::string table = files_table(results, verdict);
    const auto row_of = [&table](std::string_view name) {
        const std::size_t begin = table.find(name);
        REQUIRE(begin != std::string::npos);
        return table.substr(begin, table.find('\n', begin) - begin);
    };
    CHECK_THAT(row_of("sqliosim.mdx"), ContainsSubstring(" good ") && !ContainsSubstring(" poor "));
    CHECK_THAT(row_of("sqliosim.ldx"), ContainsSubstring(" poor ") && !ContainsSubstring(" good "));
}

TEST_CASE("a failed sync is listed without a page") {
    sim::Results results = example_results();
    sim::Finding finding;
    finding.number = 1;
    finding.kind = sim::FindingKind::io_error;
    finding.request.of_file = sim::FileRequest::sync;
    finding.place.path = "/data/sqliosim.mdx";
    finding.failure = {.error_code = 5, .error_text = "Input/output error"};
    results.findings = {finding};
    results.finding_count = 1;
    CHECK_THAT(findings_table(results), ContainsSubstring("-  I/O error  sync: Input/output error (5)"));
}

TEST_CASE("requests that came late are listed as warnings") {
    sim::Results results = sound_results();
    sim::Finding late;
    late.number = 1;
    late.kind = sim::FindingKind::stalled_io;
    late.is_warning = true;
    late.place.path = "/data/sqliosim.mdx";
    late.place.page_id = 77;
    late.failure = {.duration_us = 17'000'000};
    results.warnings = {late};
    results.warning_count = 1;
    CHECK_THAT(text_report(results), ContainsSubstring("Warnings: 1 late") && ContainsSubstring("77  read     17.0 s"));
}

TEST_CASE("neighboring pages with the same kind of finding share a line, whatever the order of finding") {
    sim::Results results = failed_results();
    results.findings.clear();
    const auto add = [&](std::uint32_t page, sim::FindingKind kind, std::uint32_t received) {
        sim::Finding finding = example_finding();
        finding.number = results.findings.size() + 1;
        finding.place.page_id = page;
        finding.kind = kind;
        finding.received.value().version = received;
        finding.moment.tick_ms = 60'000 + finding.number * 1'000;
        results.findings.push_back(finding);
    };
    using Kind = sim::FindingKind;
    add(900, Kind::lost_write, 3);
    add(402, Kind::zeroed_page, 0);
    add(400, Kind::zeroed_page, 0);
    add(401, Kind::zeroed_page, 0);
    add(404, Kind::zeroed_page, 0);
    add(901, Kind::lost_write, 2);
    results.findings[4].transient = true;
    results.finding_count = 6;
    CHECK_THAT(text_report(results), ContainsSubstring(R"(
Findings: 6
  #          at  File                page  kind         what came back
  1  1 min 01 s  ...sqliosim.mdx  900-901  lost write   2 pages, first: version 3 came back, 5 was
                                                        written
  2  1 min 02 s  ...sqliosim.mdx  400-402  zeroed page  3 pages: zeros, version 5 was written
  5  1 min 05 s  ...sqliosim.mdx      404  zeroed page  zeros, version 5 was written; later right

)"));
}

TEST_CASE("a request that worked when it was tried again is not said to have brought what is right") {
    sim::Results results = failed_results();
    sim::Finding& finding = results.findings.front();
    finding.kind = sim::FindingKind::io_error;
    finding.failure = {.error_code = 5, .error_text = "Input/output error"};
    finding.transient = true;
    CHECK_THAT(text_report(results), ContainsSubstring("  read: Input/output error (5); worked later\n"));
}

TEST_CASE("warnings are not in the table of findings, and the evidence is named") {
    sim::Results results = failed_results();
    results.findings[0].evidence.dump_path = "/data/SqlSimErrorDump00006.txt";
    sim::Finding warning = example_finding();
    warning.kind = sim::FindingKind::stalled_io;
    warning.is_warning = true;
    results.findings.push_back(warning);
    const std::string report = text_report(results);
    CHECK_THAT(report, !ContainsSubstring("stalled"));
    CHECK_THAT(report, ContainsSubstring("5 was written\n  The evidence is in /data/SqlSimErrorDump00006.txt.\n"));
}

TEST_CASE("the report says how many findings have no dump file") {
    sim::Results results = failed_results();
    results.findings[0].evidence.dump_path = "/d/1.txt";
    for (int i = 0; i < 3; ++i) {
        results.findings.push_back(example_finding());
        results.findings.back().evidence.dump_path.clear();
    }
    results.finding_count = 4;
    CHECK_THAT(text_report(results), ContainsSubstring("  The evidence is in /d/1.txt; 3 findings have no dump file.\n"));
    results.finding_count = 5'000;
    CHECK_THAT(text_report(results), ContainsSubstring("  The evidence is in /d/1.txt; 3 of the 4 kept findings have no dump file.\n"));
    for (sim::Finding& finding : results.findings) finding.evidence.dump_path = "/d/1.txt";
    CHECK_THAT(text_report(results), !ContainsSubstring("no dump file"));
}

TEST_CASE("latencies and waits below 1 us are shown, as on the page") {
    sim::Results results = example_results();
    sim::LatencyResult& reads = results.files[0].latency[static_cast<std::size_t>(sim::IoClass::read)];
    reads = {};
    reads.count = 2;
    reads.mean_ns = 800;
    reads.min_ns = 700;
    reads.max_ns = 900;
    results.waits = {{"WRITELOG", 2'000, 1'000, 1, 400}};
    const std::string report = text_report(results);
    CHECK_THAT(report, ContainsSubstring("800 ns") && ContainsSubstring("700 ns") && ContainsSubstring("900 ns"));
    CHECK_THAT(report, ContainsSubstring("500 ns") && ContainsSubstring("200 ns"));
}

TEST_CASE("a file whose requests take less than 1 us has an average, and a median of nanoseconds") {
    sim::Results results = example_results();
    sim::LatencyResult& reads = results.files[0].latency[static_cast<std::size_t>(sim::IoClass::read)];
    reads = {};
    reads.count = 20;
    reads.total_ns = 16'000;
    reads.percentiles_ns.fill(700);
    const std::string report = text_report(results);
    CHECK_THAT(report, ContainsSubstring("  /data/sqliosim.mdx   4 GB   800 ns   248 ms "));
    CHECK_THAT(report, ContainsSubstring("Half of the 8 KB reads took no more than 700 ns"));
}

TEST_CASE("the cycles of a phase are summed") {
    sim::Results results = example_results();
    results.phases = {{sim::Phase::main_run, 1, 10'000'000, 128, 256, 128, 0}, {sim::Phase::main_run, 2, 10'000'000, 2432, 2304, 128, 0}};
    CHECK_THAT(text_report(results), ContainsSubstring("  main run  20.0 s  2,560   1.0    2,560   1.0    -       256\n"));
}

TEST_CASE("many schedulers share one line") {
    sim::Results results = example_results();
    results.schedulers.assign(16, results.schedulers[0]);
    const std::string report = text_report(results);
    CHECK_THAT(report, ContainsSubstring("\n  all 16     197,530,848  1,409,968               192  20.1 %    19,269,296\n"));
}

TEST_CASE("the report of a run without a buffer pool does not mention one") {
    sim::Results results = example_results();
    CHECK_THAT(text_report(results), ContainsSubstring("buffer\n    pool 2 GB"));
    results.buffer_pool_bytes = 0;
    CHECK_THAT(text_report(results), !ContainsSubstring("buffer") && ContainsSubstring("1 cycle, 2 schedulers\n"));
}

TEST_CASE("the report says why the engine was chosen") {
    sim::Results results = example_results();
    results.engine = "threads";
    results.engine_reason = "io_uring cannot be used here: Operation not permitted";
    CHECK_THAT(text_report(results), ContainsSubstring("\nI/O engine: threads (io_uring cannot be used here: Operation not permitted)\n"));
}

TEST_CASE("the report's own lines keep to its width, even with long names") {
    sim::Results results = failed_results();
    results.files[0].path = "/var/opt/mssql/storage/very/long/mount/point/of/the/new/array/lun-0042/testdata/sqliosim.mdx";
    results.findings[0].place.path = results.files[0].path;
    results.findings[0].place.page_id = 4'294'967'294;
    results.files[0].findings = results.finding_count = 1'234'567;
    results.files[0].long_ios = 1;
    results.engine_reason = "a reason as long as any: the kernel is too old, the container forbids it, or memory is short for its rings";
    std::istringstream lines(own_part(text_report(results)));
    for (std::string line; std::getline(lines, line);) {
        INFO(line);
        // Findings are never cut.
        const bool is_row_of_table = line.find("sqliosim.") != std::string::npos || line.find("  speed  data") != std::string::npos;
        CHECK(line.size() <= (is_row_of_table ? 100 : reports::kReportColumns));
    }
}

TEST_CASE("findings are never reported as passed or stopped") {
    sim::Results results = example_results();
    results.finding_count = 1;
    CHECK(outcome_text(results).find("FAIL: 1 finding.") == 0);
    results.outcome = sim::Outcome::stopped;
    CHECK(outcome_text(results).find("FAIL: 1 finding.") == 0);
}

TEST_CASE("a run that verified nothing does not praise the storage") {
    sim::Results results = example_results();
    for (auto& file : results.files) file.pages_verified = 0;
    CHECK(outcome_text(results).starts_with("INCOMPLETE: No page was read back. That proves nothing about the storage.\n"));
    CHECK_THAT(text_report(results), ContainsSubstring("-  -      not verified\n"));
}
