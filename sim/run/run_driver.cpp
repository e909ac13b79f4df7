#include "sim/run/run_driver.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sim/buffer/warm_up.hpp"
#include "sim/files/file_creator.hpp"
#include "sim/run/collect_results.hpp"
#include "sim/run/drive_facts.hpp"
#include "sim/run/sizing.hpp"
#include "sim/users/user_sections.hpp"
#include "sim/version.hpp"
#include "sim/workers/long_io_monitor.hpp"

namespace sim {

namespace {

constexpr std::uint64_t kMb = 1 << 20;

ums::EngineKind engine_kind(EngineChoice choice) {
    switch (choice) {
        case EngineChoice::automatic: return ums::EngineKind::automatic;
        case EngineChoice::uring: return ums::EngineKind::uring;
        case EngineChoice::threads: return ums::EngineKind::threads;
    }
    UMS_ASSERT(false && "unknown engine");
}

}  // namespace

RunDriver::RunDriver(Options options, ums::Storage& storage, const ums::Clock& clock, EventSink& sink)
    : options_(std::move(options)),
      machine_(ums::this_machine()),
      storage_(storage),
      clock_(clock),
      journal_(clock, sink, cpu_count_for(options_, machine_)),
      run_id_(ums::mix64(options_.seed ^ ums::mix64(clock.utc_us()))) {
    options_.cpu_count = cpu_count_for(options_, machine_);
    journal_.on_finding([this] {
        if (options_.stop_on_error) run_.stop(Outcome::failed, "A fault was found, and StopOnError ends the run.");
    });
}

RunDriver::~RunDriver() = default;

void RunDriver::request_stop() { run_.stop(Outcome::stopped, "The run was stopped before its end."); }

Results RunDriver::run() {
    ums::SchedulerGroupOptions group;
    group.cpu_count = options_.cpu_count;
    group.affinity = options_.affinity;
    group.engine.kind = engine_kind(options_.engine);
    group.engine.io_affinity = options_.io_affinity;
    try {
        schedulers_ = std::make_unique<ums::SchedulerGroup>(group, storage_, clock_);
    } catch (const std::system_error& error) {
        throw EnvironmentError(error.what());
    }
    outstanding_ = std::make_unique<ums::Semaphore>(options_.max_outstanding_io == 0 ? kOutstandingIoMax : options_.max_outstanding_io);
    results_.version = kVersion;
    results_.seed = options_.seed;
    results_.run_id = run_id_;
    results_.start_utc_us = clock_.utc_us();
    results_.engine = schedulers_->engine_name();
    results_.engine_reason = schedulers_->engine_reason();
    results_.cpu_count = options_.cpu_count;
    schedulers_->run(main());
    results_.duration_us = (clock_.now_ns() - journal_.start_ns()) / 1000;
    add_schedulers(*schedulers_, results_);
    decide_outcome();
    return std::move(results_);
}

// --- files and parts ---

// All or none: what was made for a run that does not begin is removed again.
ums::Task<void> RunDriver::open_files() {
    FileCreator creator(options_, storage_, journal_, run_id_, &run_);
    std::exception_ptr failure;
    for (const FileOptions& file : options_.files) {
        if (run_.is_stopping()) break;
        try {
            SimFile::Setup setup = co_await creator.prepare(static_cast<std::uint32_t>(parts_->files.size() + 1), file);
            add_file(std::move(setup));
        } catch (...) {
            failure = std::current_exception();
            break;
        }
    }
    if (all_files_open() && !run_.is_stopping()) co_return;
    remove_created_files();
    if (failure) std::rethrow_exception(failure);
}

void RunDriver::remove_created_files() {
    for (const SimFile* file : parts_->files) {
        if (file->was_created()) storage_.remove(file->path());
    }
}

void RunDriver::add_file(SimFile::Setup setup) {
    const std::lock_guard guard(parts_mutex_);
    parts_->add_file(std::move(setup), storage_, *outstanding_, run_, journal_);
}

bool RunDriver::all_files_open() const { return parts_->files.size() == options_.files.size(); }

void RunDriver::make_parts() {
    results_.buffer_pool_bytes = pool_mb_for(options_, machine_) * kMb;
    parts_->assemble(options_, run_id_, results_.buffer_pool_bytes, storage_, *schedulers_, run_, journal_);
    parts_->time_series->sample(Phase::create, 1);
    ready_.store(true, std::memory_order_release);
}

void RunDriver::close_files() {
    std::unique_ptr<RunParts> parts;
    {
        const std::lock_guard guard(parts_mutex_);
        ready_.store(false, std::memory_order_release);
        parts = std::move(parts_);
    }
    // Without the lock: closing may take its time, and who asks for the progress must not wait for it.
    std::vector<std::string> to_delete;
    if (options_.delete_files_at_shutdown) {
        for (const SimFile* file : parts->files) {
            if (!file->is_device()) to_delete.push_back(file->path());
        }
    }
    parts.reset();
    for (const std::string& path : to_delete) {
        if (const auto error = storage_.remove(path)) journal_.warning(fmt::format("{}: cannot be deleted: {}.", path, error.message()));
    }
}

// --- phases ---

ums::Task<void> RunDriver::main() {
    parts_ = std::make_unique<RunParts>();
    ums::Task<void> creation = open_files();
    co_await phase(Phase::create, creation);
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
    co_await warm_up(*schedulers_, *parts_->pool, run_);
    start_services();
    for (std::uint32_t cycle = 1; !run_.is_stopping() && (options_.test_cycles == 0 || cycle <= options_.test_cycles); ++cycle) {
        cycle_.store(cycle, std::memory_order_relaxed);
        co_await run_cycle();
        if (!run_.is_stopping()) results_.cycles_completed = cycle;
    }
    phase_.store(Phase::summary, std::memory_order_relaxed);
    co_await stop_services();
    collect_files();
    collect_users();
    close_files();
}

ums::Task<void> RunDriver::run_cycle() {
    RunParts& parts = *parts_;
    const std::uint64_t seed = ums::mix64(options_.seed + cycle_);
    ums::Task<void> update = parts.whole_files->initial_update(parts.initial_update, seed);
    ums::Task<void> first_checkpoint = parts.checkpoint->run_once();
    ums::Task<void> users = main_run(seed);
    ums::Task<void> last_checkpoint = parts.checkpoint->run_once();
    ums::Task<void> audit = final_audit();
    allow_bursts(options_.allow_io_bursts);
    co_await phase(Phase::initial_update, update);
    co_await phase(Phase::initial_checkpoint, first_checkpoint);
    allow_bursts(false);
    co_await phase(Phase::main_run, users);
    allow_bursts(options_.allow_io_bursts);
    co_await phase(Phase::final_checkpoint, last_checkpoint);
    allow_bursts(false);
    co_await phase(Phase::final_audit, audit);
}

void RunDriver::allow_bursts(bool allowed) {
    for (SimFile* file : parts_->files) file->governor().allow_bursts(allowed);
}

// A run that is stopping skips what is left. `work` has a name at the caller's: gcc 12 loses a temporary task.
ums::Task<void> RunDriver::phase(Phase phase, ums::Task<void>& work) {
    if (run_.is_stopping()) co_return;
    phase_.store(phase, std::memory_order_relaxed);
    journal_.set_phase(phase);
    const std::uint64_t start_ns = clock_.now_ns();
    phase_start_ns_.store(start_ns, std::memory_order_relaxed);
    const Totals before = totals();
    co_await work;
    if (parts_->time_series) parts_->time_series->sample(phase, cycle_);
    const Totals after = totals();
    PhaseResult result;
    result.phase = phase;
    result.cycle = cycle_;
    result.duration_us = (clock_.now_ns() - start_ns) / 1000;
    result.pages_read = (after.read_bytes - before.read_bytes) / kPageBytes;
    result.pages_written = (after.written_bytes - before.written_bytes) / kPageBytes;
    result.pages_verified = after.pages_verified - before.pages_verified;
    result.log_bytes_written = after.log_bytes - before.log_bytes;
    results_.phases.push_back(result);
}

ums::Task<void> RunDriver::main_run(std::uint64_t seed) {
    run_.release_users();
    parts_->checkpoint->set_periodic(true);
    ums::TaskGroup users;
    start_users(*parts_->context, users, seed, next_cpu_);
    const std::uint64_t deadline_ns = clock_.now_ns() + options_.test_cycle_duration_s * ums::kNsPerSecond;
    co_await run_.users_stop().wait(ums::WaitType::task_join, deadline_ns);
    run_.users_stop().set();
    co_await users.join();
    parts_->checkpoint->set_periodic(false);
}

ums::Task<void> RunDriver::final_audit() {
    co_await parts_->whole_files->final_audit(parts_->final_audit);
    // The log is audited while it stands still.
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
    for (std::uint32_t cpu = 0; cpu < cpus; ++cpu) {
        (*schedulers_)[cpu].spawn(parts.monitors, "Monitor", watch_for_long_io(*parts.context, parts.monitors_stop));
    }
}

// What happened in which second.
ums::Task<void> RunDriver::record_time_series() {
    for (;;) {
        const std::uint64_t next_ns = parts_->time_series->next_sample_ns();
        const bool is_over = co_await parts_->monitors_stop.wait(ums::WaitType::sleep_task, next_ns);
        if (is_over) co_return;
        parts_->time_series->sample_if_due(phase_.load(std::memory_order_relaxed), cycle_.load(std::memory_order_relaxed));
    }
}

// Those who use the log end before it does.
ums::Task<void> RunDriver::stop_services() {
    RunParts& parts = *parts_;
    parts.checkpoint->stop();
    parts.lazy_writer->stop();
    parts.log_growth->stop();
    co_await parts.writers.join();
    parts.log->stop();
    co_await parts.log_writer.join();
    parts.monitors_stop.set();
    co_await parts.monitors.join();
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
    for (const auto& log : parts_->log_files) totals.log_bytes += sum_of(log->counters(), &FileCounters::written_bytes);
    return totals;
}

void RunDriver::collect_files() {
    parts_->time_series->sample(phase_.load(std::memory_order_relaxed), cycle_.load(std::memory_order_relaxed));
    results_.intervals = parts_->time_series->intervals();
    for (std::size_t i = 0; i < parts_->files.size(); ++i) {
        const SimFile& file = *parts_->files[i];
        FileResult result = result_of(file, options_.target_io_duration_ms);
        result.samples = parts_->time_series->take_samples(i);
        result.drive = drive_facts_since(parts_->drives[i], (clock_.now_ns() - journal_.start_ns()) / ums::kNsPerMs, file.path());
        results_.files.push_back(std::move(result));
    }
}

void RunDriver::collect_users() {
    const auto add = [this](const char* name, std::uint32_t count, const WorkCounters& work) {
        results_.users.push_back({name, count, work.cycles, work.pages_read, work.pages_updated, work.rollbacks, work.log_bytes});
    };
    const RunContext& context = *parts_->context;
    for (const UserSection& section : user_sections(context)) add(section.name, section.count, section.work);
    add("Initial Update", 1, parts_->initial_update);
    add("Checkpoint", 1, context.checkpoint);
    add("Lazy Writer", 1, context.lazy_writer);
    add("Final Audit", 1, parts_->final_audit);
}

void RunDriver::decide_outcome() {
    results_.finding_count = journal_.finding_count();
    results_.findings = journal_.take_findings();
    results_.outcome = run_.outcome();
    results_.outcome_reason = run_.reason();
    // Wrong data outranks everything: it was found, whatever came afterwards.
    if (results_.finding_count > 0 && results_.outcome != Outcome::failed) {
        results_.outcome = Outcome::failed;
        results_.outcome_reason = fmt::format("{} wrong answer{} of the storage {} found.", results_.finding_count,
                                              results_.finding_count == 1 ? "" : "s", results_.finding_count == 1 ? "was" : "were");
    }
}

Progress RunDriver::progress() const {
    Progress progress;
    progress.phase = phase_.load(std::memory_order_relaxed);
    progress.cycle = cycle_.load(std::memory_order_relaxed);
    progress.cycles = options_.test_cycles;
    progress.elapsed_us = (clock_.now_ns() - std::min(clock_.now_ns(), phase_start_ns_.load(std::memory_order_relaxed))) / 1000;
    progress.findings = journal_.finding_count();
    progress.lost_requests = run_.lost_requests();
    const std::lock_guard guard(parts_mutex_);
    if (!ready_.load(std::memory_order_acquire)) return progress;
    if (progress.phase == Phase::main_run) {
        progress.phase_duration_us = options_.test_cycle_duration_s * 1'000'000;
        progress.done_fraction = std::min(
            1.0, static_cast<double>(progress.elapsed_us) / static_cast<double>(std::max<std::uint64_t>(progress.phase_duration_us, 1)));
    } else if (progress.phase == Phase::initial_update || progress.phase == Phase::final_audit) {
        progress.done_fraction = parts_->whole_files->done_fraction();
    } else {
        progress.done_fraction = parts_->checkpoint->done_fraction();
    }
    for (const SimFile* file : parts_->files) {
        const FileCountersPerCpu& counters = file->counters();
        progress.io_count += sum_of(counters, &FileCounters::reads) + sum_of(counters, &FileCounters::scatter_reads) +
                             sum_of(counters, &FileCounters::writes) + sum_of(counters, &FileCounters::gather_writes);
        progress.io_bytes += sum_of(counters, &FileCounters::read_bytes) + sum_of(counters, &FileCounters::written_bytes);
        progress.pages_verified += sum_of(counters, &FileCounters::pages_verified);
        progress.throttle_count += file->governor().throttle_count();
        progress.files.push_back({file->path(), file->governor().average_us(), file->governor().blocks()});
    }
    for (std::uint32_t cpu = 0; cpu < schedulers_->size(); ++cpu) progress.outstanding_io += (*schedulers_)[cpu].pending_io();
    return progress;
}

}  // namespace sim
