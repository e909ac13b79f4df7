#include "reports/log_events.hpp"

#include <algorithm>

#include "reports/file_summary.hpp"
#include "tests/reports/example_results.hpp"
#include "tests/support/catch.hpp"

namespace {

std::size_t errors_in(const std::vector<sim::Event>& events) {
    return static_cast<std::size_t>(
        std::count_if(events.begin(), events.end(), [](const auto& event) { return event.severity == sim::Severity::error; }));
}

}  // namespace

TEST_CASE("each line of each summary becomes one entry, as SQLIOSim logs it") {
    const sim::Results results = example_results();
    const auto events = reports::summary_events(results);
    REQUIRE(events.size() > 15);
    const auto data = reports::file_summary(results.files[0]);
    const auto log = reports::file_summary(results.files[1]);
    for (std::size_t i = 0; i < 7; ++i) {
        CHECK(events[i].description == data[i]);
        CHECK(events[i + 7].description == log[i]);
        CHECK(events[i].user == "Monitor");
        CHECK(events[i].source_file == "FileIO.cpp");
        CHECK(events[i].line == 587);
        CHECK(events[i].function == "CLogicalFile::OutputSummary");
        CHECK(events[i].hresult.empty());
        CHECK(events[i].system_text.empty());
        CHECK(events[i].utc_us == results.start_utc_us + results.duration_us);
        CHECK(events[i].tick_ms == 352'700);
    }
    CHECK(events[14].description == "Stress Test Attempt Complete");
    CHECK(errors_in(events) == 0);
}

TEST_CASE("a run that failed or could not be done leaves an entry of type error, a stopped one does not") {
    sim::Results results = example_results();
    results.outcome = sim::Outcome::failed;
    results.finding_count = 3;
    results.outcome_reason = "StopOnError.";
    CHECK(errors_in(reports::summary_events(results)) == 1);
    CHECK(reports::summary_events(results).back().description == "The run failed with 3 findings. StopOnError.");
    results.outcome = sim::Outcome::not_done;
    results.outcome_reason = "No space left on device.";
    CHECK(errors_in(reports::summary_events(results)) == 1);
    CHECK(reports::summary_events(results).back().description == "The run could not be done. No space left on device.");
    results.outcome = sim::Outcome::stopped;
    CHECK(errors_in(reports::summary_events(results)) == 0);
}

TEST_CASE("the verdict follows the summaries, as information that no reader takes for a summary") {
    const auto events = reports::summary_events(example_results());
    CHECK(events[14].description == "Stress Test Attempt Complete");
    CHECK(events[15].description.starts_with("Verdict: PASS: 9,116,131 page reads were verified"));
    for (std::size_t i = 15; i < events.size(); ++i) {
        CHECK(events[i].severity == sim::Severity::info);
        CHECK(events[i].description.starts_with("Verdict: "));
        CHECK(events[i].function != "CLogicalFile::OutputSummary");
    }
}

TEST_CASE("a wrong page is a failed buffer validation, in SQLIOSim's words first") {
    sim::Finding finding = example_finding();
    finding.place.path = "F:\\sqliosim.mdx";
    finding.moment.cpu = 1;
    const sim::Event event = reports::finding_event(finding);
    CHECK(event.severity == sim::Severity::error);
    CHECK(event.description ==
          "Buffer validation failed on F:\\sqliosim.mdx Page: 87366, offset 0x8. Version 5 of the page was acknowledged, "
          "version 3 came back 15 times.");
    CHECK(event.function == "CBUF::ValidateBuffer");
    CHECK(event.hresult == "0x80070467");
    CHECK(event.system_text == "While accessing the hard disk, a disk operation failed even after retries.");
    CHECK(event.user == "Random User 3");
    CHECK(event.utc_us == finding.moment.utc_us);
    CHECK(event.tick_ms == finding.moment.tick_ms);
    CHECK(event.cpu == 1);
}

TEST_CASE("a wrong block of a log is identified by its place in the file, because it has no page") {
    sim::Finding finding = example_finding();
    finding.kind = sim::FindingKind::log_stale_block;
    finding.place.path = "/log/sqliosim.ldx";
    finding.place.is_log = true;
    finding.place.page_id = 0;
    finding.place.offset_bytes = 0x3200;
    CHECK(reports::finding_event(finding).description ==
          "Buffer validation failed on /log/sqliosim.ldx log block at offset 0x3200. " + finding.description);
    finding.place.role = sim::FileRole::backup_chain;
    CHECK_THAT(reports::finding_event(finding).description, ContainsSubstring("/log/sqliosim.ldx chunk at offset 0x3200. "));
    finding.place.role = sim::FileRole::test;
    finding.description.clear();
    CHECK_THAT(reports::finding_event(finding).description, ContainsSubstring("an older block"));
    CHECK_THAT(reports::finding_event(finding).description, !ContainsSubstring("page 0"));
}

TEST_CASE("a finding without a description is described from its facts") {
    sim::Finding finding = example_finding();
    finding.description.clear();
    CHECK_THAT(reports::finding_event(finding).description,
               ContainsSubstring("offset 0x8. lost write: version 3 came back, 5 was written."));
}

TEST_CASE("a finding of a file that is too short names the missing part, because there is no version") {
    sim::Finding finding = example_finding();
    finding.description.clear();
    finding.expected.reset();
    finding.received.reset();
    finding.place.size_bytes = 1024 * sim::kPageBytes;
    CHECK_THAT(reports::finding_event(finding).description, ContainsSubstring("lost write: 8 MB affected from here on."));
}

TEST_CASE("a failed request is identified, with the system's error text") {
    sim::Finding finding = example_finding();
    finding.kind = sim::FindingKind::io_error;
    finding.request.is_write = true;
    finding.failure = {.error_code = 5, .error_text = "Input/output error"};
    finding.description.clear();
    const sim::Event event = reports::finding_event(finding);
    CHECK(event.description == "Write failed on /data/sqliosim.mdx Page: 87366, offset 0x8. I/O error: write: Input/output error (5).");
    CHECK(event.hresult == "0x8007045D");
    CHECK(event.system_text == "Input/output error");
    finding.request.is_write = false;
    CHECK_THAT(reports::finding_event(finding).description, ContainsSubstring("Read failed on "));
}

TEST_CASE("a failed sync is reported without a page") {
    sim::Finding finding;
    finding.kind = sim::FindingKind::io_error;
    finding.request.of_file = sim::FileRequest::sync;
    finding.place.path = "/data/a.mdx";
    finding.description = "A sync of the file failed: Input/output error.";
    const sim::Event event = reports::finding_event(finding);
    CHECK(event.severity == sim::Severity::error);
    CHECK(event.description == "Sync failed on /data/a.mdx. A sync of the file failed: Input/output error.");
}

TEST_CASE("an exceeded limit leaves an entry of type error") {
    sim::Results results = example_results();
    results.thresholds = {
        {.expression = "p99 > 1 ms", .is_exceeded = true, .measured = "2.0 ms", .path = "/data/a.mdx", .io_class = "read"},
        {.expression = "p50 > 1 s", .is_exceeded = false, .measured = "2.0 ms", .path = "", .io_class = ""}};
    std::vector<std::string> errors;
    for (const sim::Event& event : reports::summary_events(results)) {
        if (event.severity == sim::Severity::error) errors.push_back(event.description);
    }
    CHECK(errors == std::vector<std::string>{"Limit exceeded: p99 > 1 ms: 2.0 ms was measured for read of /data/a.mdx."});
}

TEST_CASE("a warning is of type warning, never an error") {
    sim::Finding finding = example_finding();
    finding.kind = sim::FindingKind::stalled_io;
    finding.is_warning = true;
    finding.failure = {.duration_us = 16'000'000};
    finding.description.clear();
    const sim::Event event = reports::finding_event(finding);
    CHECK(event.severity == sim::Severity::warning);
    CHECK(event.hresult.empty());
    CHECK(event.description == "Read stalled on /data/sqliosim.mdx Page: 87366, offset 0x8. stalled I/O: read: 16 s.");
    finding.is_warning = false;
    CHECK(reports::finding_event(finding).severity == sim::Severity::error);
}

TEST_CASE("a dump file is announced as by SQLIOSim") {
    sim::Finding finding = example_finding();
    finding.evidence.dump_path = "/data/SqlSimErrorDump00006.txt";
    const sim::Event event = reports::dump_event(finding);
    CHECK(event.severity == sim::Severity::info);
    CHECK(event.description == "Dump file successfully written: /data/SqlSimErrorDump00006.txt");
    CHECK(event.user == "Random User 3");
}
