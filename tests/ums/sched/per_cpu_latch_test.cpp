#include "ums/sched/per_cpu_latch.hpp"

#include <atomic>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/contention.hpp"
#include "tests/support/death.hpp"
#include "tests/support/scheduler_run.hpp"
#include "tests/support/seed.hpp"

namespace ums {
namespace {

using testing::run_contended;
using testing::run_virtual;
using testing::RunOptions;
using testing::World;

constexpr WaitType kPerCpuWait = WaitType::file_resize;

TEST_CASE("schedulers share a latch, and an exclusive request waits for the last holder without being overtaken") {
    std::vector<std::string> log;
    run_virtual(RunOptions{.cpu_count = 2}, [&](World& world) -> Task<void> {
        PerCpuLatch latch(2);
        Event let_go;
        auto share = [&](std::string name) -> Task<void> {
            co_await latch.acquire_shared(kPerCpuWait);
            log.push_back(std::move(name));
            co_await let_go.wait(WaitType::sleep_task);
            latch.release_shared();
        };
        auto change = [&]() -> Task<void> {
            co_await latch.acquire_exclusive(kPerCpuWait);
            log.emplace_back("changes");
            UMS_ASSERT(!latch.try_acquire_shared());
            latch.release_exclusive();
        };
        TaskGroup group;
        for (std::uint32_t cpu = 0; cpu < 2; ++cpu) world.schedulers[cpu].spawn(group, "share", share("shares"));
        co_await sleep_until(world.clock.now_ns() + 10);
        UMS_ASSERT(log.size() == 2 && !latch.try_acquire_exclusive());
        world.schedulers[0].spawn(group, "change", change());
        co_await sleep_until(world.clock.now_ns() + 10);
        world.schedulers[0].spawn(group, "share", share("is late"));
        co_await sleep_until(world.clock.now_ns() + 10);
        UMS_ASSERT(log.size() == 2);
        let_go.set();
        co_await group.join();
        UMS_ASSERT(latch.try_acquire_exclusive());
        latch.release_exclusive();
    });
    CHECK(log == std::vector<std::string>{"shares", "shares", "changes", "is late"});
}

TEST_CASE("a task that cannot get all parts of a latch keeps none of them") {
    run_virtual(RunOptions{.cpu_count = 2}, [&](World& world) -> Task<void> {
        PerCpuLatch latch(2);
        Event let_go;
        auto share = [&]() -> Task<void> {
            co_await latch.acquire_shared(kPerCpuWait);
            co_await let_go.wait(WaitType::sleep_task);
            latch.release_shared();
        };
        TaskGroup group;
        world.schedulers[1].spawn(group, "share", share());
        co_await sleep_until(world.clock.now_ns() + 10);
        UMS_ASSERT(Scheduler::current().id() == 0 && !latch.try_acquire_exclusive());
        UMS_ASSERT(latch.try_acquire_shared());
        latch.release_shared();
        let_go.set();
        co_await group.join();
    });
}

TEST_CASE("four schedulers share and change, never both at the same time, and no wake-up is lost") {
    PerCpuLatch latch(4);
    std::atomic<int> sharing{0};
    std::atomic<int> changing{0};
    std::atomic<int> violations{0};
    auto use = [&](Prng& prng) -> Task<void> {
        if (prng.below(10) == 0) {
            co_await latch.acquire_exclusive(kPerCpuWait);
            if (changing.fetch_add(1) != 0 || sharing.load() != 0) violations.fetch_add(1);
            if (prng.below(2) == 0) co_await Scheduler::current().yield();
            changing.fetch_sub(1);
            latch.release_exclusive();
        } else {
            co_await latch.acquire_shared(kPerCpuWait);
            sharing.fetch_add(1);
            if (changing.load() != 0) violations.fetch_add(1);
            if (prng.below(2) == 0) co_await Scheduler::current().yield();
            sharing.fetch_sub(1);
            latch.release_shared();
        }
    };
    run_contended({.cpu_count = 4, .tasks = 12, .rounds = 300, .seed = testing::test_seed("per-CPU latch")}, use);
    CHECK(violations == 0);
}

TEST_CASE("using a latch on a scheduler for which it was not made is an internal error") {
    CHECK(testing::aborts([] {
        run_virtual(RunOptions{.cpu_count = 2}, [](World& world) -> Task<void> {
            PerCpuLatch latch(1);
            auto share = [&]() -> Task<void> {
                co_await latch.acquire_shared(kPerCpuWait);
                latch.release_shared();
            };
            TaskGroup group;
            world.schedulers[1].spawn(group, "share", share());
            co_await group.join();
        });
    }));
}

}  // namespace
}  // namespace ums
