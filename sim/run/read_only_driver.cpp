#include "sim/run/read_only_driver.hpp"

#include <utility>

namespace sim {

ReadOnlyDriver::~ReadOnlyDriver() = default;

void ReadOnlyDriver::show(std::unique_ptr<OpenFiles> open) {
    open->time_series = std::make_unique<TimeSeries>(open->files, clock_, journal_.start_ns());
    const std::lock_guard guard(parts_mutex_);
    open_ = std::move(open);
}

ums::Task<void> ReadOnlyDriver::work(ums::Task<void>& job) {
    journal_.begin_run();
    are_cycles_running_ = true;
    watch_long_io(open_->monitors, open_->monitors_stop);
    (*schedulers_)[0].spawn(open_->monitors, "Time Series", record_time_series());
    (*schedulers_)[0].spawn(open_->monitors, "Monitor", watch_drives(open_->drives, clock_, open_->monitors_stop));
    try {
        co_await job;
    } catch (...) {
        stop_on_failure(std::current_exception());
    }
    enter(Phase::summary);
    open_->monitors_stop.set();
    co_await join(open_->monitors);
    describe();
    if (!run_.is_stopping()) results_.cycles_completed = 1;
    collect_files(open_->files, open_->drives, *open_->time_series);
    close_files();
}

// What happened in which second.
ums::Task<void> ReadOnlyDriver::record_time_series() {
    for (;;) {
        const std::uint64_t next_ns = open_->time_series->next_sample_ns();
        const bool is_over = co_await open_->monitors_stop.wait(ums::WaitType::sleep_task, next_ns);
        if (is_over) co_return;
        co_await open_->time_series->sample_if_due(phase_.load(std::memory_order_relaxed), 1);
    }
}

// Closing may take a while: not with the lock, for which progress() would wait.
void ReadOnlyDriver::close_files() {
    is_closing_ = true;
    std::unique_ptr<OpenFiles> open;
    const std::lock_guard guard(parts_mutex_);
    add_counts(of_closed_files_, open_->files);
    open = std::move(open_);
}

Driver::Totals ReadOnlyDriver::totals() const {
    Totals totals;
    for (const SimFile* file : open_->files) {
        if (file->options().is_log) continue;
        const FileCountersPerCpu& counters = file->counters();
        totals.read_bytes += sum_of(counters, &FileCounters::read_bytes);
        totals.pages_verified += sum_of(counters, &FileCounters::pages_verified);
    }
    return totals;
}

void ReadOnlyDriver::after_phase(Phase phase) { open_->time_series->sample(phase, 1); }

Progress ReadOnlyDriver::progress() const {
    Progress progress = common_progress();
    progress.cycles = 1;
    const std::lock_guard guard(parts_mutex_);
    add_counts(progress, of_closed_files_);
    if (!open_) return progress;
    progress.done_fraction = done_fraction();
    add_files(progress, open_->files);
    progress.is_ending = run_.is_stopping();
    return progress;
}

}  // namespace sim
