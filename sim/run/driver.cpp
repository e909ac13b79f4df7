#include "sim/run/driver.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sim/engine_kind.hpp"
#include "sim/files/overdue_request.hpp"
#include "sim/run/collect_results.hpp"
#include "sim/run/sizing.hpp"
#include "sim/run/task_failure.hpp"
#include "sim/scheduler_start.hpp"
#include "sim/version.hpp"
#include "ums/base/os_thread.hpp"

namespace sim {

Driver::Driver(Options options, ums::Storage& storage, const ums::Clock& clock, EventSink& sink, PromiseKeeper* keeper, RunGroup* group)
    : options_(std::move(options)),
      machine_(ums::this_machine()),
      storage_(storage),
      clock_(clock),
      keeper_(keeper),
      group_(group),
      journal_(clock, sink, cpu_count_for(options_, machine_)) {
    enter(Phase::create);  // a run may wait for others of its group, or for a disk, before its first phase
    options_.cpu_count = cpu_count_for(options_, machine_);
    if (group_ != nullptr) journal_.explain_with([this](Finding& finding) { group_->explain(finding); });
}

Driver::~Driver() = default;

void Driver::request_stop() { run_.stop(Outcome::stopped, "The run was stopped before its end."); }

void Driver::after_phase(Phase /*phase*/) {}

Results Driver::run() {
    begin().run(main());
    return end();
}

ums::SchedulerGroup& Driver::begin() {
    make_schedulers();
    reserve_.emplace();
    return *schedulers_;
}

Results Driver::end() {
    reserve_.reset();
    look_at_calls();
    results_.duration_us = (clock_.now_ns() - journal_.start_ns()) / 1000;
    results_.phases = phases_.take();
    add_schedulers(*schedulers_, results_);
    decide_outcome();
    return std::move(results_);
}

void Driver::make_schedulers() {
    ums::SchedulerGroupOptions group;
    group.cpu_count = options_.cpu_count;
    group.cpus = ums::cpus_of_mask(options_.affinity);
    group.engine.kind = engine_kind(options_.engine);
    group.engine.io_affinity = options_.io_affinity;
    schedulers_ = sim::make_schedulers(group, storage_, clock_);
    schedulers_->on_memory_short([this] { run_.stop(Outcome::not_done, memory_refused_text()); });
    schedulers_->on_task_failed([this](const std::exception_ptr& failure) {
        if (are_cycles_running_) stop_on_failure(failure);  // earlier, it is for the joining task
    });
    outstanding_ = std::make_unique<ums::Semaphore>(outstanding_io_max(options_));
    results_.version = kVersion;
    results_.seed = options_.seed;
    // The origin of all times in the results; creating the schedulers took some time.
    results_.start_utc_us = clock_.utc_us() - (clock_.now_ns() - journal_.start_ns()) / 1000;
    results_.engine = schedulers_->engine_name();
    results_.engine_reason = schedulers_->engine_reason();
    results_.cpu_count = options_.cpu_count;
}

// A stopping run skips the rest. Callers pass a named task: gcc 12 destroys a temporary one too early.
ums::Task<void> Driver::phase(Phase phase, ums::Task<void>& work) {
    if (run_.is_stopping()) co_return;
    enter(phase);
    journal_.set_phase(phase);
    const std::uint64_t start_ns = phase_start_ns_.load(std::memory_order_relaxed);
    const Totals before = totals();
    co_await work;
    after_phase(phase);
    const Totals after = totals();
    PhaseResult result;
    result.phase = phase;
    result.cycle = cycle_;
    result.duration_us = (clock_.now_ns() - start_ns) / 1000;
    result.pages_read = (after.read_bytes - before.read_bytes) / kPageBytes;
    result.pages_written = (after.written_bytes - before.written_bytes) / kPageBytes;
    result.pages_verified = after.pages_verified - before.pages_verified;
    result.log_bytes_written = after.log_bytes - before.log_bytes;
    phases_.add(result);
}

// The time first: whoever sees the phase must not see it begin with the one before.
void Driver::enter(Phase phase) {
    phase_start_ns_.store(clock_.now_ns(), std::memory_order_relaxed);
    phase_.store(phase, std::memory_order_release);
}

void Driver::stop_on_failure(const std::exception_ptr& failure) {
    TaskFailure what = classify_failure(failure);
    if (what.is_internal_error) has_internal_error_ = true;
    run_.stop(Outcome::not_done, std::move(what.reason));
}

ums::Task<void> Driver::join(ums::TaskGroup& tasks) {
    try {
        co_await tasks.join();
    } catch (...) {
        stop_on_failure(std::current_exception());
    }
}

void Driver::watch_long_io(ums::TaskGroup& monitors, ums::Event& stop) {
    for (std::uint32_t cpu = 0; cpu < schedulers_->size(); ++cpu) {
        (*schedulers_)[cpu].spawn(monitors, "Monitor", watch_for_long_io(run_, journal_, stop));
    }
}

void Driver::decide_outcome() {
    results_.finding_count = journal_.finding_count();
    results_.findings = journal_.take_findings();
    results_.warning_count = journal_.warning_count();
    results_.warnings = journal_.take_warnings();
    results_.outcome = run_.outcome();
    results_.outcome_reason = run_.reason();
    results_.is_internal_error = has_internal_error_;
    if (results_.outcome == Outcome::failed && results_.outcome_reason.empty()) {
        results_.outcome_reason = "A fault was found, and StopOnError ends the run.";
    }
    // Wrong data outranks everything that happened afterwards, but does not hide it.
    if (results_.finding_count > 0 && results_.outcome != Outcome::failed) {
        results_.outcome = Outcome::failed;
        const std::string found = fmt::format("{} wrong answer{} of the storage {} found.", results_.finding_count,
                                              results_.finding_count == 1 ? "" : "s", results_.finding_count == 1 ? "was" : "were");
        results_.outcome_reason = results_.outcome_reason.empty() ? found : fmt::format("{} {}", found, results_.outcome_reason);
    }
}

DriveWatch Driver::drive_below(const std::string& path) {
    const WatchedCall call(journal_, "query of the device", path);
    return DriveWatch(path);
}

Progress Driver::common_progress() const {
    Progress progress;
    progress.phase = phase_.load(std::memory_order_acquire);
    progress.cycle = cycle_.load(std::memory_order_relaxed);
    progress.cycles = options_.test_cycles;
    // A single clock reading, because the phase may begin between two.
    const std::uint64_t now_ns = clock_.now_ns();
    progress.elapsed_us = (now_ns - std::min(now_ns, phase_start_ns_.load(std::memory_order_relaxed))) / 1000;
    progress.findings = journal_.finding_count();
    progress.warnings = journal_.warning_count();
    progress.lost_requests = run_.lost_requests();
    progress.is_internal_error = has_internal_error_;
    progress.is_creating = is_creating_;
    progress.is_closing = is_closing_;
    progress.may_begin = may_begin_;
    progress.long_calls = journal_.calls().long_calls();
    return progress;
}

void Driver::add_counts(Progress& progress, std::span<SimFile* const> files) {
    for (const SimFile* file : files) {
        const FileCountersPerCpu& counters = file->counters();
        progress.io_count += sum_of(counters, &FileCounters::reads) + sum_of(counters, &FileCounters::scatter_reads) +
                             sum_of(counters, &FileCounters::writes) + sum_of(counters, &FileCounters::gather_writes);
        progress.io_bytes += sum_of(counters, &FileCounters::read_bytes) + sum_of(counters, &FileCounters::written_bytes);
        progress.pages_verified += sum_of(counters, &FileCounters::pages_verified);
        progress.throttle_count += file->governor().throttle_count();
    }
}

void Driver::add_counts(Progress& progress, const Progress& of_closed_files) {
    progress.io_count += of_closed_files.io_count;
    progress.io_bytes += of_closed_files.io_bytes;
    progress.pages_verified += of_closed_files.pages_verified;
    progress.throttle_count += of_closed_files.throttle_count;
}

void Driver::add_files(Progress& progress, std::span<SimFile* const> files) {
    add_counts(progress, files);
    for (const SimFile* file : files) {
        progress.files.push_back({file->path(), file->governor().average_us(), file->governor().blocks()});
    }
}

void Driver::collect_files(std::span<SimFile* const> files, std::span<DriveWatch> drives, TimeSeries& time_series) {
    results_.intervals = time_series.intervals();
    for (std::size_t i = 0; i < files.size(); ++i) {
        const SimFile& file = *files[i];
        FileResult result = result_of(file, options_.target_io_duration_ms);
        result.findings = journal_.findings_of(file.id());
        result.warnings = journal_.warnings_of(file.id());
        result.samples = time_series.take_samples(i);
        result.drive = drives[i].facts((clock_.now_ns() - journal_.start_ns()) / ums::kNsPerMs);
        results_.files.push_back(std::move(result));
    }
}

}  // namespace sim
