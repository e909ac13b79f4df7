#include "reports/log_events.hpp"

#include <fmt/format.h>

#include "reports/file_summary.hpp"
#include "reports/finding_text.hpp"
#include "reports/text.hpp"

namespace reports {

namespace {

sim::Event event_at_end(const sim::Results& results) {
    sim::Event event;
    event.utc_us = results.start_utc_us + results.duration_us;
    event.tick_ms = results.duration_us / 1000;
    event.user = "Monitor";
    // The place in SQLIOSim that readers of its logs know these lines by.
    event.source_file = "FileIO.cpp";
    event.line = 587;
    event.function = "CLogicalFile::OutputSummary";
    return event;
}

sim::Event closing_event(const sim::Results& results, sim::Severity severity, std::string description) {
    sim::Event event = event_at_end(results);
    event.severity = severity;
    event.source_file = "log_events.cpp";
    event.line = 0;
    event.function = "summary_events";
    event.description = std::move(description);
    return event;
}

sim::Event event_of(const sim::Finding& finding, sim::Severity severity) {
    sim::Event event;
    event.severity = severity;
    event.utc_us = finding.utc_us;
    event.tick_ms = finding.tick_ms;
    event.cpu = finding.cpu;
    event.user = finding.user;
    return event;
}

}  // namespace

std::vector<sim::Event> summary_events(const sim::Results& results) {
    std::vector<sim::Event> events;
    for (const sim::FileResult& file : results.files) {
        for (std::string& line : file_summary(file)) {
            events.push_back(event_at_end(results));
            events.back().description = std::move(line);
        }
    }
    events.push_back(closing_event(results, sim::Severity::info, "Stress Test Attempt Complete"));
    const std::string reason = results.outcome_reason.empty() ? "" : " " + results.outcome_reason;
    if (results.outcome == sim::Outcome::failed) {
        events.push_back(closing_event(results, sim::Severity::error,
                                       fmt::format("The run failed with {} finding(s).{}", results.finding_count, reason)));
    } else if (results.outcome == sim::Outcome::not_done) {
        events.push_back(closing_event(results, sim::Severity::error, "The run could not be done." + reason));
    }
    return events;
}

sim::Event finding_event(const sim::Finding& finding) {
    sim::Event event = event_of(finding, finding.is_warning ? sim::Severity::warning : sim::Severity::error);
    event.source_file = "Buffer.cpp";
    const char* what = "Buffer validation failed";
    if (finding.kind == sim::FindingKind::io_error) {
        what = finding.is_write ? "Write failed" : "Read failed";
        event.function = finding.is_write ? "CBUF::Write" : "CBUF::Read";
        event.hresult = "0x8007045D";
        event.system_text = finding.error_text;
    } else if (finding.kind == sim::FindingKind::stalled_io) {
        what = finding.is_write ? "Write stalled" : "Read stalled";
        event.function = finding.is_write ? "CBUF::Write" : "CBUF::Read";
    } else {
        event.function = "CBUF::ValidateBuffer";
        event.hresult = "0x80070467";
        event.system_text = "While accessing the hard disk, a disk operation failed even after retries.";
    }
    const std::string place = finding.is_log ? fmt::format("log block at offset 0x{:x}", finding.offset_bytes)
                                             : fmt::format("Page: {}, offset 0x{:x}", finding.page_id, finding.first_wrong_byte);
    event.description = fmt::format("{} on {} {}. {}", what, finding.path, place, finding_sentence(finding));
    return event;
}

sim::Event dump_event(const sim::Finding& finding) {
    sim::Event event = event_of(finding, sim::Severity::info);
    event.source_file = "error_dump.cpp";
    event.function = "ErrorDump::save_evidence";
    event.description = "Dump file successfully written: " + finding.dump_path;
    return event;
}

}  // namespace reports
