// One timespan of a measurement, from its files to its result: what it starts with, its load (timespan_load.cpp), and what it leaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "sim/bench/machine_watch.hpp"
#include "sim/bench/measure_files.hpp"
#include "sim/bench/measure_load.hpp"
#include "sim/bench/measurement.hpp"
#include "ums/sched/scheduler_group.hpp"

namespace sim {

class MeasureTimespanRun {
public:
    // `owner` and `spec` must outlive the object. `run_id`: for the pages that are written.
    MeasureTimespanRun(Measurement& owner, const MeasureTimespan& spec, std::uint64_t run_id);

    // Blocks until the timespan is done. Once per object. Throws like Measurement::run().
    MeasureTimespanResults run();

private:
    void make_works();
    void make_threads();
    void add_thread(std::uint32_t first_target, std::uint32_t end_target, std::uint32_t thread_of_target);
    [[nodiscard]] std::uint64_t interval_bytes() const;
    void check_memory() const;
    void make_schedulers();
    void note_small_pool();
    [[nodiscard]] std::uint32_t cpu_count() const;
    [[nodiscard]] std::size_t place_of(std::size_t thread) const;
    ums::Task<void> main();
    ums::Task<void> prepare();
    ums::Task<void> measure();
    ums::Task<void> watch_until(MachineWatch& watch, std::uint64_t end_ns);
    void spawn_load(MeasureShared& shared, ums::TaskGroup& tasks);
    void set_paces(std::uint64_t start_ns);
    void spawn_watchers(ums::TaskGroup& watchers, ums::Event& done);
    ums::Task<void> read_back();
    void collect(const MeasureShared& shared);
    void enter(MeasurePhase phase);
    void stop_on_failure(const std::exception_ptr& failure);

    Measurement& owner_;
    const MeasureTimespan& spec_;
    const std::vector<std::uint32_t> cpus_;  // to which schedulers are bound
    RunState& run_;
    MeasureFiles files_;
    std::vector<std::unique_ptr<MeasureTargetWork>> works_;
    std::vector<std::unique_ptr<MeasureThread>> threads_;
    std::unique_ptr<ums::SchedulerGroup> schedulers_;
    MeasureTimespanResults results_;
};

}  // namespace sim
