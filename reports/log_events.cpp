#include "reports/log_events.hpp"

#include <utility>

#include <fmt/format.h>

#include "reports/file_summary.hpp"
#include "reports/finding_text.hpp"
#include "reports/text.hpp"
#include "reports/text_report.hpp"
#include "reports/thresholds.hpp"
#include "reports/verdict.hpp"
#include "ums/base/printable.hpp"

namespace reports {

namespace {

sim::Event event_at_end(const sim::Results& results) {
    sim::Event event;
    event.utc_us = results.start_utc_us + results.duration_us;
    event.tick_ms = results.duration_us / 1000;
    event.user = "Monitor";
    // The source location by which readers of SQLIOSim's logs recognize these lines.
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
    event.utc_us = finding.moment.utc_us;
    event.tick_ms = finding.moment.tick_ms;
    event.thread_id = finding.moment.thread_id;
    event.cpu = finding.moment.cpu;
    event.user = finding.moment.user;
    return event;
}

struct RequestWords {
    const char* failed;
    const char* stalled;
    const char* function;
};

RequestWords request_words(const sim::Finding& finding) {
    switch (finding.request.of_file) {
        case sim::FileRequest::none: break;
        case sim::FileRequest::sync: return {"Sync failed", "Sync stalled", "CLogicalFile::Flush"};
        case sim::FileRequest::resize: return {"Resize failed", "Resize stalled", "CLogicalFile::Resize"};
        case sim::FileRequest::open: return {"Open failed", "Open stalled", "CLogicalFile::Open"};
    }
    if (finding.request.is_write) return {"Write failed", "Write stalled", "CBUF::Write"};
    return {"Read failed", "Read stalled", "CBUF::Read"};
}

// Each begins with a word of its own, because readers find entries by their first words.
std::vector<std::string> verdict_sentences(const sim::Results& results) {
    const Verdict verdict = verdict_of(results);
    std::vector<std::string> sentences;
    const auto add = [&](std::string_view subject, const Remark& remark) {
        sentences.push_back(fmt::format("Verdict: {}: {}{}{}", subject, remark.text, remark.next.empty() ? "" : " Next: ", remark.next));
    };
    for (const Remark& reason : verdict.reasons) add(name_of(verdict.judgement), reason);
    for (const FileVerdict& file : verdict.files) {
        for (const Remark& remark : file.remarks) add(fmt::format("{}: {}", ums::printable(file.path), name_of(remark.grade)), remark);
    }
    return sentences;
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
    events.push_back(closing_event(results, sim::Severity::info, std::string(completion_text(results))));
    if (!results.rehearsal.empty()) events.push_back(closing_event(results, sim::Severity::warning, rehearsal_notice(results.rehearsal)));
    for (std::string& sentence : verdict_sentences(results)) {
        events.push_back(closing_event(results, sim::Severity::info, std::move(sentence)));
    }
    for (const sim::ThresholdResult& threshold : results.thresholds) {
        if (!threshold.is_exceeded) continue;
        events.push_back(closing_event(results, sim::Severity::error, "Limit exceeded: " + threshold_text(threshold) + "."));
    }
    const std::string reason = results.outcome_reason.empty() ? "" : " " + results.outcome_reason;
    if (results.outcome == sim::Outcome::failed) {
        events.push_back(closing_event(results, sim::Severity::error,
                                       fmt::format("The {} failed with {}.{}", results.durability ? "verification" : "run",
                                                   counted(results.finding_count, "finding"), reason)));
    } else if (results.outcome == sim::Outcome::not_done) {
        events.push_back(
            closing_event(results, sim::Severity::error,
                          std::string(results.durability ? "The verification came to no result." : "The run could not be done.") + reason));
    }
    return events;
}

sim::Event finding_event(const sim::Finding& finding) {
    sim::Event event = event_of(finding, finding.is_warning ? sim::Severity::warning : sim::Severity::error);
    event.source_file = "Buffer.cpp";
    const char* what = "Buffer validation failed";
    if (finding.kind == sim::FindingKind::io_error) {
        what = request_words(finding).failed;
        event.function = request_words(finding).function;
        event.hresult = "0x8007045D";
        event.system_text = or_empty(finding.failure).error_text;
    } else if (finding.kind == sim::FindingKind::stalled_io) {
        what = request_words(finding).stalled;
        event.function = request_words(finding).function;
    } else {
        event.function = "CBUF::ValidateBuffer";
        event.hresult = "0x80070467";
        event.system_text = "While accessing the hard disk, a disk operation failed even after retries.";
    }
    if (finding.request.of_file != sim::FileRequest::none) {
        event.description = fmt::format("{} on {}. {}", what, finding.place.path, finding_sentence(finding));
        return event;
    }
    const char* const block = finding.place.role == sim::FileRole::backup_chain ? "chunk" : "log block";
    const std::string place =
        finding.place.is_log ? fmt::format("{} at offset 0x{:x}", block, finding.place.offset_bytes)
                             : fmt::format("Page: {}, offset 0x{:x}", finding.place.page_id, or_empty(finding.comparison).first_wrong_byte);
    event.description = fmt::format("{} on {} {}. {}", what, finding.place.path, place, finding_sentence(finding));
    return event;
}

sim::Event dump_event(const sim::Finding& finding) {
    sim::Event event = event_of(finding, sim::Severity::info);
    event.source_file = "error_dump.cpp";
    event.function = "ErrorDump::save";
    event.description = "Dump file successfully written: " + finding.evidence.dump_path;
    return event;
}

}  // namespace reports
