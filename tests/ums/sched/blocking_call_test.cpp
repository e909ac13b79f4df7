#include "ums/sched/blocking_call.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/support/catch.hpp"
#include "tests/support/scheduler_run.hpp"
#include "ums/io/posix_storage.hpp"
#include "ums/sched/event.hpp"
#include "ums/sched/scheduler_group.hpp"

using namespace ums;

TEST_CASE("a blocking call delays only its own task, and returns its result") {
    RealClock clock;
    PosixStorage storage;
    SchedulerGroup group({.engine = {.kind = EngineKind::threads}}, storage, clock);
    std::atomic<bool> is_released{false};
    bool has_other_run = false;
    auto main = [&]() -> Task<void> {
        TaskGroup tasks;
        auto other = [&]() -> Task<void> {
            has_other_run = true;
            is_released = true;
            co_return;
        };
        Scheduler::current().fork(tasks, other());
        // Ends only once the other task has run on the same scheduler.
        const int answer = co_await run_blocking([&] {
            for (int i = 0; i < 10'000 && !is_released; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return is_released ? 42 : 0;
        });
        CHECK(answer == 42);
        co_await tasks.join();
        co_await run_blocking([] {});
    };
    group.run(main());
    CHECK(has_other_run);
}

TEST_CASE("in virtual time a blocking call is made immediately, on the calling thread") {
    VirtualClock clock;
    PosixStorage storage;
    SchedulerGroup group({.engine = {.kind = EngineKind::null}}, storage, clock);
    auto main = []() -> Task<void> {
        const std::thread::id called_on = co_await run_blocking([] { return std::this_thread::get_id(); });
        CHECK(called_on == std::this_thread::get_id());
    };
    group.run(main());
}
