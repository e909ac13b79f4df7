#include "sim/journal/journal.hpp"

#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "ums/base/os_thread.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

namespace {

constexpr std::size_t kEvidenceKept = 100;
// Operations that a finding carries.
constexpr std::size_t kPageHistoryMax = 200;
constexpr std::size_t kFileHistoryMax = 100;

// The running task, or the process.
void sign(std::string& user, std::uint32_t& cpu) {
    const ums::Scheduler* scheduler = ums::Scheduler::current_or_null();
    user = scheduler != nullptr ? scheduler->worker().name : "Monitor";
    cpu = scheduler != nullptr ? scheduler->id() : 0;
}

// The finding concerns some bytes of the file, not all of it.
bool has_place(const Finding& finding) { return finding.request.of_file == FileRequest::none; }

std::uint64_t count_of(const std::map<std::uint32_t, std::uint64_t>& counts, std::uint32_t file_id) {
    const auto found = counts.find(file_id);
    return found == counts.end() ? 0 : found->second;
}

std::string file_name(std::string_view path) { return std::string(path.substr(path.find_last_of('/') + 1)); }

}  // namespace

Journal::Journal(const ums::Clock& clock, EventSink& sink, std::uint32_t cpu_count)
    : clock_(clock), sink_(sink), start_ns_(clock.now_ns()), history_(clock, cpu_count) {}

void Journal::begin_run() {
    const std::lock_guard guard(mutex_);
    sink_.on_begin();
}

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

void Journal::begin(Finding& finding) {
    sign(finding.moment.user, finding.moment.cpu);
    finding.moment.thread_id = ums::this_thread_id();
    finding.moment.phase = name_of(phase_.load(std::memory_order_relaxed));
    finding.moment.tick_ms = (clock_.now_ns() - start_ns_) / ums::kNsPerMs;
    finding.moment.utc_us = clock_.utc_us();
    if (has_place(finding)) {
        if (finding.place.size_bytes == 0) finding.place.size_bytes = kPageBytes;
        history_.watch(finding.place.file_id, finding.place.offset_bytes, finding.place.size_bytes);
    }
    finding.evidence.file_history = history_.latest(kFileHistoryMax);
}

void Journal::complete(Finding& finding) {
    if (finding.moment.utc_us == 0) begin(finding);
    const FileRole role = finding.place.role;
    if (role != FileRole::test) finding.description = fmt::format("In a {}: {}", name_of(role), finding.description);
    if (!has_place(finding)) return;
    finding.evidence.page_history =
        history_.page_history(finding.place.file_id, finding.place.offset_bytes, finding.place.size_bytes, kPageHistoryMax);
}

void Journal::report(Finding finding) {
    complete(finding);
    if (explain_hook_) explain_hook_(finding);
    const bool is_warning = finding.is_warning;
    (is_warning ? warning_count_ : finding_count_).fetch_add(1, std::memory_order_relaxed);
    {
        const std::lock_guard guard(mutex_);
        finding.number = ++last_number_;
        ++(is_warning ? warnings_by_file_ : findings_by_file_)[finding.place.file_id];
        sink_.on_finding(finding);
        if (is_warning || findings_.size() >= kEvidenceKept) finding.evidence.drop();
        std::vector<Finding>& kept = is_warning ? warnings_ : findings_;
        if (kept_.keeps(finding)) kept.push_back(std::move(finding));
    }
    if (finding_hook_ && !is_warning) finding_hook_();
}

std::uint64_t Journal::findings_of(std::uint32_t file_id) const {
    const std::lock_guard guard(mutex_);
    return count_of(findings_by_file_, file_id);
}

std::uint64_t Journal::warnings_of(std::uint32_t file_id) const {
    const std::lock_guard guard(mutex_);
    return count_of(warnings_by_file_, file_id);
}

std::vector<Finding> Journal::take_findings() {
    const std::lock_guard guard(mutex_);
    return std::exchange(findings_, {});
}

std::vector<Finding> Journal::take_warnings() {
    const std::lock_guard guard(mutex_);
    return std::exchange(warnings_, {});
}

}  // namespace sim
