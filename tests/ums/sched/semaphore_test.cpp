#include "ums/sched/semaphore.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/contention.hpp"
#include "tests/support/death.hpp"
#include "tests/support/scheduler_run.hpp"
#include "tests/support/seed.hpp"
#include "ums/base/prng.hpp"

namespace ums {
namespace {

using testing::run_contended;
using testing::run_virtual;
using testing::World;

constexpr WaitType kSemaphoreWait = WaitType::request_block;

TEST_CASE("units are taken and given back without waiting while there are enough of them") {
    Semaphore semaphore(10);
    CHECK(semaphore.try_acquire(7));
    CHECK(semaphore.available() == 3);
    CHECK_FALSE(semaphore.try_acquire(4));
    CHECK(semaphore.try_acquire(3));
    CHECK(semaphore.available() == 0);
    CHECK(semaphore.try_acquire(0));
    semaphore.release(10);
    CHECK(semaphore.available() == 10);
}

TEST_CASE("a task that needs several units gets all of them or none, and no other overtakes it") {
    std::vector<std::string> log;
    run_virtual({}, [&](World& world) -> Task<void> {
        Semaphore semaphore(10);
        TaskGroup group;
        auto take = [&](std::uint64_t units, std::string name) -> Task<void> {
            co_await semaphore.acquire(units, kSemaphoreWait);
            log.push_back(std::move(name));
        };
        co_await semaphore.acquire(6, kSemaphoreWait);
        world.schedulers[0].spawn(group, "eight", take(8, "eight"));
        world.schedulers[0].spawn(group, "one", take(1, "one"));  // would fit
        world.schedulers[0].spawn(group, "five", take(5, "five"));
        co_await sleep_until(world.clock.now_ns() + 10);
        UMS_ASSERT(log.empty() && semaphore.has_waiters());
        UMS_ASSERT(semaphore.available() == 4);  // the first task does not hold some of its units
        UMS_ASSERT(!semaphore.try_acquire(1));   // does not overtake waiting tasks
        semaphore.release(3);
        co_await sleep_until(world.clock.now_ns() + 10);
        UMS_ASSERT(log.empty());
        semaphore.release(3);
        co_await sleep_until(world.clock.now_ns() + 10);
        UMS_ASSERT((log == std::vector<std::string>{"eight", "one"}));
        semaphore.release(8);
        co_await group.join();
        UMS_ASSERT(!semaphore.has_waiters() && semaphore.available() == 4);
    });
    CHECK(log == std::vector<std::string>{"eight", "one", "five"});
}

TEST_CASE("four schedulers never hold more units than there are, and no task starves") {
    constexpr std::uint64_t kUnits = 8;
    Semaphore semaphore(kUnits);
    std::atomic<std::uint64_t> held{0};
    std::atomic<int> violations{0};
    auto take_some = [&](Prng& prng) -> Task<void> {
        const std::uint64_t units = prng.between(1, kUnits);
        if (!semaphore.try_acquire(units)) co_await semaphore.acquire(units, kSemaphoreWait);
        if (held.fetch_add(units) + units > kUnits) violations.fetch_add(1);
        if (prng.below(2) == 0) co_await Scheduler::current().yield();
        held.fetch_sub(units);
        semaphore.release(units);
    };
    run_contended({.cpu_count = 4, .tasks = 8, .rounds = 400, .seed = testing::test_seed("semaphore")}, take_some);
    CHECK(violations == 0);
    CHECK(semaphore.available() == kUnits);
}

TEST_CASE("destroying a semaphore that a task waits for is an internal error") {
    CHECK(testing::aborts([] {
        run_virtual({}, [](World& world) -> Task<void> {
            auto semaphore = std::make_unique<Semaphore>(0);
            auto take = [&]() -> Task<void> { co_await semaphore->acquire(1, kSemaphoreWait); };
            TaskGroup group;
            world.schedulers[0].spawn(group, "take", take());
            co_await Scheduler::current().yield();
            semaphore.reset();
        });
    }));
}

}  // namespace
}  // namespace ums
