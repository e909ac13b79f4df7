#include "sim/run/run_driver.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sim/files/file_names.hpp"
#include "sim/pool/warm_up.hpp"
#include "sim/users/users.hpp"
#include "sim/version.hpp"
#include "sim/workers/ending_notice.hpp"
#include "ums/base/os_thread.hpp"

namespace sim {

RunDriver::RunDriver(Options options, ums::Storage& storage, const ums::Clock& clock, EventSink& sink, PromiseKeeper* keeper,
                     RunGroup* group)
    : Driver(std::move(options), storage, clock, sink, keeper, group), run_id_(ums::mix64(options_.seed ^ ums::mix64(clock.utc_us()))) {
    fit_replicas(options_.files);
    if (!is_about_left_files(options_.job)) add_tempdb_files(options_);
    if (options_.job == Job::repair) options_.stop_on_error = options_.delete_files_at_shutdown = false;
    results_.run_id = run_id_;
    journal_.on_finding([this] {
        if (options_.stop_on_error) run_.stop(Outcome::failed, "");  // a more specific reason may follow
    });
}

RunDriver::~RunDriver() = default;

// --- phases ---

ums::Task<void> RunDriver::main() {
    {
        const std::lock_guard guard(parts_mutex_);
        parts_ = std::make_unique<RunParts>();
    }
    begin_in_group();
    co_await meet(RunGroup::Meeting::begin);
    if (run_.is_stopping()) co_return close_files();
    ums::Task<void> creation = provide_files();
    co_await phase(Phase::create, creation);
    if (all_files_open() && options_.job != Job::run) co_await recover();
    if (!all_files_open() || run_.is_stopping()) {
        close_files();
        co_return;
    }
    try {
        make_parts();
    } catch (...) {
        remove_created_files();  // not enough memory: the run does not begin
        throw;
    }
    co_await run_cycles();
    collect_files();
    collect_users();
    look_for_names();
    close_files();
}

// However the cycles end, started services are stopped and joined, and the work done so far is reported.
ums::Task<void> RunDriver::run_cycles() {
    are_cycles_running_ = true;
    try {
        co_await warm_up(*schedulers_, *parts_->pool, run_);
        start_services();
        // Before the log goes on: with a block of this incarnation, and promises of the one before, nothing could be demanded of it.
        if (!run_.is_stopping()) begin_promises();
        if (recovery_) {
            ums::Task<void> first_checkpoint = go_on();
            co_await phase(Phase::initial_checkpoint, first_checkpoint);
        }
        const bool has_cycles = options_.job != Job::repair;
        for (std::uint32_t cycle = 1; has_cycles && !run_.is_stopping() && (options_.test_cycles == 0 || cycle <= options_.test_cycles);
             ++cycle) {
            cycle_.store(cycle, std::memory_order_relaxed);
            co_await run_cycle();
            if (!run_.is_stopping()) results_.cycles_completed = cycle;
        }
    } catch (...) {
        stop_on_failure(std::current_exception());
    }
    enter(Phase::summary);
    co_await stop_services();
    end_promises();
}

ums::Task<void> RunDriver::run_cycle() {
    RunParts& parts = *parts_;
    const std::uint64_t seed = ums::mix64(options_.seed + cycle_);
    ums::Task<void> update = parts.whole_files->initial_update(parts.initial_update, seed);
    ums::Task<void> first_checkpoint = parts.checkpoint->run_once();
    ums::Task<void> users = main_run(seed);
    ums::Task<void> backups = end_backups();
    ums::Task<void> last_checkpoint = parts.checkpoint->run_once();
    ums::Task<void> audit = final_audit();
    allow_bursts(options_.allow_io_bursts);
    co_await phase(Phase::initial_update, update);
    co_await phase(Phase::initial_checkpoint, first_checkpoint);
    allow_bursts(false);
    co_await meet(RunGroup::Meeting::main_run);
    observe_blocks(true);
    co_await phase(Phase::main_run, users);
    observe_blocks(false);
    if (parts.backup) co_await phase(Phase::backup, backups);
    co_await join(parts.backups);
    allow_bursts(options_.allow_io_bursts);
    co_await phase(Phase::final_checkpoint, last_checkpoint);
    allow_bursts(false);
    co_await meet(RunGroup::Meeting::final_audit);
    co_await phase(Phase::final_audit, audit);
}

void RunDriver::allow_bursts(bool allowed) {
    for (SimFile* file : parts_->files) file->governor().allow_bursts(allowed);
}

void RunDriver::observe_blocks(bool observed) {
    for (SimFile* file : parts_->files) file->governor().observe_blocks(observed);
}

void RunDriver::after_phase(Phase phase) {
    if (parts_->time_series) parts_->time_series->sample(phase, cycle_);
}

ums::Task<void> RunDriver::main_run(std::uint64_t seed) {
    for (const auto& snapshot : parts_->snapshots) co_await snapshot->take();
    run_.release_users();
    parts_->checkpoint->set_periodic(true);
    ums::TaskGroup users;
    if (parts_->backup) (*schedulers_)[0].spawn(parts_->backups, "Backup", parts_->backup->serve());
    start_users(*parts_->context, users, seed, next_cpu_);
    if (options_.audit_user.checks_snapshot) {
        (*schedulers_)[next_cpu_++ % schedulers_->size()].spawn(users, "Snapshot Check", run_snapshot_check(*parts_->context));
    }
    const std::uint64_t deadline_ns = clock_.now_ns() + options_.test_cycle_duration_s * ums::kNsPerSecond;
    co_await run_.users_stop().wait(ums::WaitType::task_join, deadline_ns);
    run_.end_users();
    parts_->log->space().refuse();
    // Everything logged must now be written and nothing is added, so bursts are allowed instead of the governor's pace.
    for (const auto& log : parts_->log_files) log->governor().allow_bursts(true);
    co_await join(users);
    for (const auto& log : parts_->log_files) log->governor().allow_bursts(false);
    parts_->checkpoint->set_periodic(false);  // none that would be broken off may begin from here on
    run_.users_have_ended();
    for (const auto& snapshot : parts_->snapshots) co_await snapshot->release();
    if (!run_.is_stopping()) parts_->log->space().accept();
}

ums::Task<void> RunDriver::end_backups() {
    co_await join(parts_->backups);
    (*schedulers_)[0].spawn(parts_->backups, "Backup", parts_->backup->finish());
    co_await join(parts_->backups);
}

ums::Task<void> RunDriver::final_audit() {
    co_await parts_->whole_files->final_audit(parts_->final_audit);
    // The log is audited while nothing is appended to it.
    co_await parts_->checkpoint->pause();
    bool is_whole = false;
    if (!run_.is_stopping()) is_whole = co_await parts_->log->flush();
    if (is_whole) co_await parts_->log_auditor->audit();
    parts_->checkpoint->resume();
}

// --- tasks ---

void RunDriver::start_services() {
    RunParts& parts = *parts_;
    const std::uint32_t cpus = schedulers_->size();
    (*schedulers_)[0].spawn(parts.log_writer, "Log Writer", parts.log->run_writer());
    (*schedulers_)[0].spawn(parts.writers, "Log Growth", parts.log_growth->serve());
    (*schedulers_)[cpus - 1].spawn(parts.writers, "Checkpoint", parts.checkpoint->serve());
    (*schedulers_)[cpus / 2].spawn(parts.writers, "Lazy Writer", parts.lazy_writer->serve());
    (*schedulers_)[0].spawn(parts.monitors, "Time Series", record_time_series());
    (*schedulers_)[0].spawn(parts.monitors, "Monitor", report_outstanding_io(*parts.context, parts.monitors_stop));
    (*schedulers_)[0].spawn(parts.monitors, "Monitor", watch_drives(parts.drives, clock_, parts.monitors_stop));
    watch_long_io(parts.monitors, parts.monitors_stop);
}

// What happened in which second.
ums::Task<void> RunDriver::record_time_series() {
    for (;;) {
        const std::uint64_t next_ns = parts_->time_series->next_sample_ns();
        const bool is_over = co_await parts_->monitors_stop.wait(ums::WaitType::sleep_task, next_ns);
        report_missing_threads();
        report_stopped_promises();
        if (is_over) co_return;
        co_await parts_->time_series->sample_if_due(phase_.load(std::memory_order_relaxed), cycle_.load(std::memory_order_relaxed));
    }
}

void RunDriver::report_missing_threads() {
    if (has_reported_missing_threads_ || !schedulers_->is_short_of_threads()) return;
    has_reported_missing_threads_ = true;
    journal_.warning(fmt::format("The run continues with fewer threads for I/O than it wanted: {}.", ums::kThreadLimitText));
}

// Tasks that use the log end before the log does.
ums::Task<void> RunDriver::stop_services() {
    RunParts& parts = *parts_;
    parts.checkpoint->stop();
    parts.lazy_writer->stop();
    parts.log_growth->stop();
    co_await join(parts.writers);
    parts.log->stop();
    co_await join(parts.log_writer);
    parts.monitors_stop.set();
    co_await join(parts.monitors);
}

// --- results ---

RunDriver::Totals RunDriver::totals() const {
    Totals totals;
    for (const auto& data : parts_->data_files) {
        const FileCountersPerCpu& counters = data->file.counters();
        totals.read_bytes += sum_of(counters, &FileCounters::read_bytes);
        totals.written_bytes += sum_of(counters, &FileCounters::written_bytes);
        totals.pages_verified += sum_of(counters, &FileCounters::pages_verified);
    }
    for (const auto& log : parts_->log_files) totals.log_bytes += sum_of(log->counters(), &FileCounters::log_bytes);
    return totals;
}

void RunDriver::collect_files() {
    parts_->time_series->sample(phase_.load(std::memory_order_relaxed), cycle_.load(std::memory_order_relaxed));
    Driver::collect_files(parts_->files, parts_->drives, *parts_->time_series);
}

void RunDriver::collect_users() {
    const auto add = [this](const char* name, std::uint32_t count, const WorkCounters& work) {
        results_.users.push_back({name, count, work.cycles, work.pages_read, work.pages_updated, work.rollbacks, work.log_bytes});
    };
    const RunContext& context = *parts_->context;
    for (const UserSection& section : user_sections(context)) add(section.name, section.count, section.work);
    if (options_.audit_user.checks_snapshot) add("SnapshotCheck", 1, context.snapshot_checks);
    if (parts_->backup) {
        add("BackupUser", options_.backup_user.reader_count, context.backup);
        results_.backup = parts_->backup->result();
    }
    add("Initial Update", 1, parts_->initial_update);
    add("Checkpoint", 1, context.checkpoint);
    add("Lazy Writer", 1, context.lazy_writer);
    if (!parts_->snapshots.empty()) {
        add("Snapshot", static_cast<std::uint32_t>(parts_->snapshots.size()), context.snapshots);
    }
    add("Final Audit", 1, parts_->final_audit);
}

// While a backup is verified and restored, nothing else may be at work: the run must not look as if it stood still.
void RunDriver::add_all_files(Progress& progress) const {
    add_files(progress, parts_->files);
    add_counts(progress, parts_->files_of_backups);
}

Progress RunDriver::progress() const {
    Progress progress = common_progress();
    if (progress.may_begin) progress.run_id = run_id_;  // before that, taking over files may change it
    const std::lock_guard guard(parts_mutex_);
    if (!ready_.load(std::memory_order_acquire)) {
        // The recovery of a run that continues may read for hours: nobody must take it for a run that waits.
        if (parts_ && all_files_open()) add_all_files(progress);
        add_counts(progress, of_closed_files_);
        return progress;
    }
    if (progress.phase == Phase::main_run) {
        progress.phase_duration_us = options_.test_cycle_duration_s * 1'000'000;
        progress.done_fraction = std::min(
            1.0, static_cast<double>(progress.elapsed_us) / static_cast<double>(std::max<std::uint64_t>(progress.phase_duration_us, 1)));
    } else if (progress.phase == Phase::initial_update || progress.phase == Phase::final_audit) {
        progress.done_fraction = parts_->whole_files->done_fraction();
    } else {
        progress.done_fraction = parts_->checkpoint->done_fraction();
    }
    add_all_files(progress);
    const OutstandingIo outstanding = outstanding_io(*schedulers_, clock_.now_ns());
    progress.outstanding_io = outstanding.count;
    progress.oldest_io_us = outstanding.oldest_us;
    progress.is_ending = run_.is_stopping() || run_.users_are_ending();
    return progress;
}

}  // namespace sim
