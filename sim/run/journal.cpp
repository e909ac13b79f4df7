#include "sim/run/journal.hpp"

#include <string_view>
#include <utility>

#include "ums/base/thread_id.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

namespace {

// Findings kept for the results; all of them go to the sink.
constexpr std::size_t kFindingsKept = 10'000;
constexpr std::size_t kImagesKept = 100;

// The running task, or the process as a whole.
void sign(std::string& user, std::uint32_t& cpu) {
    const ums::Scheduler* scheduler = ums::Scheduler::current_or_null();
    user = scheduler != nullptr ? scheduler->worker().name : "Monitor";
    cpu = scheduler != nullptr ? scheduler->id() : 0;
}

std::string file_name(std::string_view path) { return std::string(path.substr(path.find_last_of('/') + 1)); }

}  // namespace

Journal::Journal(const ums::Clock& clock, EventSink& sink) : clock_(clock), sink_(sink), start_ns_(clock.now_ns()) {}

void Journal::write(Severity severity, std::string text, const std::source_location& where) {
    Event event;
    event.severity = severity;
    event.utc_us = clock_.utc_us();
    event.tick_ms = (clock_.now_ns() - start_ns_) / ums::kNsPerMs;
    event.thread_id = ums::this_thread_id();
    sign(event.user, event.cpu);
    event.source_file = file_name(where.file_name());
    event.line = where.line();
    event.function = where.function_name();
    event.description = std::move(text);
    const std::lock_guard guard(mutex_);
    sink_.on_event(event);
}

void Journal::info(std::string text, std::source_location where) { write(Severity::info, std::move(text), where); }
void Journal::warning(std::string text, std::source_location where) { write(Severity::warning, std::move(text), where); }
void Journal::error(std::string text, std::source_location where) { write(Severity::error, std::move(text), where); }

void Journal::report(Finding finding) {
    sign(finding.user, finding.cpu);
    finding.phase = name_of(phase_.load(std::memory_order_relaxed));
    finding.tick_ms = (clock_.now_ns() - start_ns_) / ums::kNsPerMs;
    finding.utc_us = clock_.utc_us();
    const bool is_warning = finding.is_warning;
    if (!is_warning) finding_count_.fetch_add(1, std::memory_order_relaxed);
    {
        const std::lock_guard guard(mutex_);
        sink_.on_finding(finding);
        if (findings_.size() >= kImagesKept) finding.image = {};
        if (!is_warning && findings_.size() < kFindingsKept) findings_.push_back(std::move(finding));
    }
    if (!is_warning && finding_hook_) finding_hook_();
}

std::vector<Finding> Journal::take_findings() {
    const std::lock_guard guard(mutex_);
    return std::exchange(findings_, {});
}

}  // namespace sim
