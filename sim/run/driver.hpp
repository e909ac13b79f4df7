// What all jobs on a set of test files share, be it a run or a verification: schedulers, journal, phases, the end, and its report.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "sim/event.hpp"
#include "sim/files/sim_file.hpp"
#include "sim/group/run_group.hpp"
#include "sim/journal/journal.hpp"
#include "sim/journal/run_state.hpp"
#include "sim/options.hpp"
#include "sim/promises/promise_keeper.hpp"
#include "sim/results.hpp"
#include "sim/run/drive_watch.hpp"
#include "sim/run/kept_phases.hpp"
#include "sim/run/time_series.hpp"
#include "ums/base/machine.hpp"
#include "ums/base/memory_reserve.hpp"
#include "ums/io/storage.hpp"
#include "ums/sched/event.hpp"
#include "ums/sched/scheduler_group.hpp"
#include "ums/sched/task_group.hpp"

namespace sim {

class Driver {
public:
    virtual ~Driver();
    Driver(const Driver&) = delete;
    Driver& operator=(const Driver&) = delete;

    // See Simulation.
    Results run();
    void request_stop();
    // The parts of run(), for runs that share a virtual time (run_together()): what comes before its schedulers run, and what comes after.
    // The schedulers live as long as the driver.
    ums::SchedulerGroup& begin();
    void start() { schedulers_->start(main()); }
    Results end();
    virtual void release_locks() {}
    void look_at_calls() { journal_.calls().look(); }
    void expect_looks(bool are_expected) { journal_.calls().expect_looks(are_expected); }
    [[nodiscard]] virtual Progress progress() const = 0;
    [[nodiscard]] Phase current_phase() const { return phase_.load(std::memory_order_relaxed); }

protected:
    // Counters of all files at one moment.
    struct Totals {
        std::uint64_t read_bytes = 0;  // of data files
        std::uint64_t written_bytes = 0;
        std::uint64_t pages_verified = 0;
        std::uint64_t log_bytes = 0;  // written; not the zeros of a growth
    };

    Driver(Options options, ums::Storage& storage, const ums::Clock& clock, EventSink& sink, PromiseKeeper* keeper, RunGroup* group);

    // The whole job, as the first task.
    virtual ums::Task<void> main() = 0;
    [[nodiscard]] virtual Totals totals() const = 0;
    // A phase has ended.
    virtual void after_phase(Phase phase);

    ums::Task<void> phase(Phase phase, ums::Task<void>& work);
    // From now on the progress is that of this phase.
    void enter(Phase phase);
    // Handles an exception that left a task where none is expected.
    void stop_on_failure(const std::exception_ptr& failure);
    // Joins all tasks, even if an exception leaves one of them.
    ums::Task<void> join(ums::TaskGroup& tasks);
    // On each scheduler, a task that reports requests that take too long, until `stop` is set.
    void watch_long_io(ums::TaskGroup& monitors, ums::Event& stop);
    // For the files of the run. Only once there are schedulers.
    [[nodiscard]] FileContext file_context() { return {storage_, *outstanding_, run_, journal_, load_of(options_)}; }
    // Waits for the disk of the file, perhaps forever.
    [[nodiscard]] DriveWatch drive_below(const std::string& path);
    // The progress that does not depend on the parts of a run.
    [[nodiscard]] Progress common_progress() const;
    // What files have done, to its sums.
    static void add_counts(Progress& progress, std::span<SimFile* const> files);
    // The same of files that are closed by now.
    static void add_counts(Progress& progress, const Progress& of_closed_files);
    // The same, and each file by itself.
    static void add_files(Progress& progress, std::span<SimFile* const> files);
    // The results of the files, in their order, with their drives and their time series. At the end.
    void collect_files(std::span<SimFile* const> files, std::span<DriveWatch> drives, TimeSeries& time_series);

    Options options_;
    const ums::Machine machine_;
    ums::Storage& storage_;
    const ums::Clock& clock_;
    PromiseKeeper* const keeper_;  // null: there is no keeper
    RunGroup* const group_;        // null: this run is alone
    Journal journal_;
    RunState run_;
    std::unique_ptr<ums::SchedulerGroup> schedulers_;
    std::unique_ptr<ums::Semaphore> outstanding_;
    std::optional<ums::MemoryReserve> reserve_;    // while tasks run
    std::atomic<bool> may_begin_{false};           // everything that could prevent the run from starting has been checked
    std::atomic<bool> are_cycles_running_{false};  // tasks are no longer expected to throw
    std::atomic<bool> has_internal_error_{false};
    std::atomic<bool> is_creating_{false};  // files, new or in place of old ones; not while it only opens what is there
    std::atomic<bool> is_closing_{false};   // the files, or deleting them; nothing is outstanding any more
    Results results_;

    std::atomic<Phase> phase_{Phase::create};
    std::atomic<std::uint32_t> cycle_{1};
    std::atomic<std::uint64_t> phase_start_ns_{0};

private:
    void make_schedulers();
    void decide_outcome();

    KeptPhases phases_;
};

}  // namespace sim
