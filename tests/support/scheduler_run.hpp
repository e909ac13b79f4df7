// Runs a coroutine as the main task of a group of schedulers over a ManualStorage.
#pragma once

#include <cstdint>

#include "tests/support/manual_engine.hpp"
#include "ums/base/clock.hpp"
#include "ums/sched/event.hpp"
#include "ums/sched/scheduler_group.hpp"

namespace ums::testing {

// Everything that a test of the scheduler uses.
struct World {
    ManualStorage& storage;
    SchedulerGroup& schedulers;
    const Clock& clock;
};

struct RunOptions {
    std::uint32_t cpu_count = 1;
    RequestDelay delay = fixed_delay(0);
    std::uint64_t shuffle_seed = 0;
    std::uint64_t sleep_ns_min = 0;  // see ManualEngine
    std::uint32_t started_for_one_queued = 4;
};

// `main` is called as main(World&) and must return a Task<void>. Catch's assertions are not thread-safe: record results in the tasks, and
// check them in `after`, which is called as after(World&) when all threads have ended, or after the run.
template <typename Main, typename After>
void run_with_clock(const Clock& clock, const RunOptions& options, Main&& main, After&& after) {
    ManualStorage storage(clock, options.delay, options.sleep_ns_min);
    SchedulerGroupOptions group_options;
    group_options.cpu_count = options.cpu_count;
    group_options.shuffle_seed = options.shuffle_seed;
    group_options.started_for_one_queued = options.started_for_one_queued;
    SchedulerGroup schedulers(group_options, storage, clock);
    World world{storage, schedulers, clock};
    schedulers.run(main(world));
    after(world);
}

template <typename Main>
void run_real(const RunOptions& options, Main&& main) {
    const RealClock clock;
    run_with_clock(clock, options, main, [](World&) {});
}

template <typename Main, typename After>
void run_real(const RunOptions& options, Main&& main, After&& after) {
    const RealClock clock;
    run_with_clock(clock, options, main, after);
}

template <typename Main>
void run_virtual(const RunOptions& options, Main&& main) {
    const VirtualClock clock;
    run_with_clock(clock, options, main, [](World&) {});
}

template <typename Main, typename After>
void run_virtual(const RunOptions& options, Main&& main, After&& after) {
    const VirtualClock clock;
    run_with_clock(clock, options, main, after);
}

}  // namespace ums::testing
