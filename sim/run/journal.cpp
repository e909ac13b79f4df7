#include "sim/run/journal.hpp"

#include <string_view>
#include <utility>

#include "ums/base/thread_id.hpp"
#include "ums/io/file_extents.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

namespace {

// Findings kept for the results; all of them go to the sink.
constexpr std::size_t kFindingsKept = 10'000;
constexpr std::size_t kEvidenceKept = 100;
// Operations that a finding carries.
constexpr std::size_t kPageHistoryMax = 200;
constexpr std::size_t kFileHistoryMax = 100;

// What takes much memory.
void drop_evidence(Finding& finding) {
    finding.image = {};
    finding.expected_image = {};
    finding.page_history = {};
    finding.file_history = {};
}

// The running task, or the process as a whole.
void sign(std::string& user, std::uint32_t& cpu) {
    const ums::Scheduler* scheduler = ums::Scheduler::current_or_null();
    user = scheduler != nullptr ? scheduler->worker().name : "Monitor";
    cpu = scheduler != nullptr ? scheduler->id() : 0;
}

std::string file_name(std::string_view path) { return std::string(path.substr(path.find_last_of('/') + 1)); }

}  // namespace

Journal::Journal(const ums::Clock& clock, EventSink& sink, std::uint32_t cpu_count)
    : clock_(clock), sink_(sink), start_ns_(clock.now_ns()), history_(clock, cpu_count) {}

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
    sign(finding.user, finding.cpu);
    finding.phase = name_of(phase_.load(std::memory_order_relaxed));
    finding.tick_ms = (clock_.now_ns() - start_ns_) / ums::kNsPerMs;
    finding.utc_us = clock_.utc_us();
    if (finding.size_bytes == 0) finding.size_bytes = kPageBytes;
    history_.watch(finding.file_id, finding.offset_bytes, finding.size_bytes);
    finding.file_history = history_.latest(kFileHistoryMax);
}

void Journal::complete(Finding& finding) {
    if (finding.utc_us == 0) begin(finding);
    finding.page_history = history_.page_history(finding.file_id, finding.offset_bytes, finding.size_bytes, kPageHistoryMax);
    if (!finding.device) finding.device = place_on_device(finding);
}

// Not of a device that does not answer: to ask would wait for it, too. Nor of files that are simulated.
std::optional<DevicePlace> Journal::place_on_device(const Finding& finding) const {
    if (!clock_.is_real() || (finding.kind == FindingKind::stalled_io && !finding.is_warning)) return std::nullopt;
    const auto place = ums::device_offset_of(finding.path, finding.offset_bytes);
    return place ? std::optional(DevicePlace{place->device, place->offset_bytes}) : std::nullopt;
}

void Journal::report(Finding finding) {
    complete(finding);
    const bool is_warning = finding.is_warning;
    if (!is_warning) finding_count_.fetch_add(1, std::memory_order_relaxed);
    {
        const std::lock_guard guard(mutex_);
        finding.number = ++last_number_;
        finding.dump_path = sink_.save_evidence(finding);
        sink_.on_finding(finding);
        if (findings_.size() >= kEvidenceKept) drop_evidence(finding);
        if (!is_warning && findings_.size() < kFindingsKept) findings_.push_back(std::move(finding));
    }
    if (finding_hook_ && !is_warning) finding_hook_();
}

std::vector<Finding> Journal::take_findings() {
    const std::lock_guard guard(mutex_);
    return std::exchange(findings_, {});
}

}  // namespace sim
