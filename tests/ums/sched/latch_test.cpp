#include "ums/sched/latch.hpp"

#include <array>
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
using testing::run_real;
using testing::run_virtual;
using testing::RunOptions;
using testing::World;

constexpr LatchMode kShared = LatchMode::shared;
constexpr LatchMode kUpdate = LatchMode::update;
constexpr LatchMode kExclusive = LatchMode::exclusive;
constexpr WaitType kLatchWait = WaitType::pagelatch_ex;

TEST_CASE("which latch modes are compatible") {
    struct Pair {
        LatchMode held;
        LatchMode wanted;
        bool compatible;
    };
    const std::array pairs{
        Pair{kShared, kShared, true},     Pair{kShared, kUpdate, true},     Pair{kShared, kExclusive, false},
        Pair{kUpdate, kShared, true},     Pair{kUpdate, kUpdate, false},    Pair{kUpdate, kExclusive, false},
        Pair{kExclusive, kShared, false}, Pair{kExclusive, kUpdate, false}, Pair{kExclusive, kExclusive, false},
    };
    for (const Pair& pair : pairs) {
        CAPTURE(static_cast<int>(pair.held), static_cast<int>(pair.wanted));
        Latch latch;
        CHECK_FALSE(latch.is_busy());
        REQUIRE(latch.try_acquire(pair.held));
        CHECK(latch.is_busy());
        CHECK(latch.try_acquire(pair.wanted) == pair.compatible);
        if (pair.compatible) latch.release(pair.wanted);
        latch.release(pair.held);
        CHECK_FALSE(latch.is_busy());
        REQUIRE(latch.try_acquire(kExclusive));  // nothing is held any more
        latch.release(kExclusive);
    }
}

TEST_CASE("the exclusive mode waits for the last of many holders") {
    Latch latch;
    for (int i = 0; i < 3; ++i) REQUIRE(latch.try_acquire(kShared));
    REQUIRE(latch.try_acquire(kUpdate));
    for (int i = 0; i < 3; ++i) {
        CHECK_FALSE(latch.try_acquire(kExclusive));
        latch.release(kShared);
    }
    CHECK_FALSE(latch.try_acquire(kExclusive));
    latch.release(kUpdate);
    CHECK(latch.try_acquire(kExclusive));
    latch.release(kExclusive);
}

// Tasks that take a latch, log their name, and hold it until told to release it.
struct Holders {
    World& world;
    Latch latch{};
    std::vector<std::string> log{};
    TaskGroup group{};

    Task<void> hold(LatchMode mode, std::string name, Event& let_go) {
        co_await latch.acquire(mode, kLatchWait);
        log.push_back(std::move(name));
        co_await let_go.wait(WaitType::sleep_task);
        latch.release(mode);
    }
    // All tasks have run until none could.
    SleepAwaiter settle() { return sleep_until(world.clock.now_ns() + 1); }
};

TEST_CASE("tasks get a latch in the order of their requests, and not even try_acquire overtakes them") {
    std::vector<std::string> log;
    run_virtual({}, [&](World& world) -> Task<void> {
        Holders holders{world};
        Scheduler& here = world.schedulers[0];
        Event first_group;
        Event exclusive;
        Event rest;
        here.spawn(holders.group, "1", holders.hold(kShared, "SH1", first_group));
        here.spawn(holders.group, "2", holders.hold(kUpdate, "UP2", first_group));
        here.spawn(holders.group, "3", holders.hold(kExclusive, "EX3", exclusive));
        here.spawn(holders.group, "4", holders.hold(kShared, "SH4", rest));  // would be compatible, but EX3 was first
        here.spawn(holders.group, "5", holders.hold(kUpdate, "UP5", rest));
        here.spawn(holders.group, "6", holders.hold(kShared, "SH6", rest));
        here.spawn(holders.group, "7", holders.hold(kUpdate, "UP7", rest));
        co_await holders.settle();
        UMS_ASSERT((holders.log == std::vector<std::string>{"SH1", "UP2"}));
        UMS_ASSERT(!holders.latch.try_acquire(kShared));
        first_group.set();
        co_await holders.settle();
        UMS_ASSERT((holders.log == std::vector<std::string>{"SH1", "UP2", "EX3"}));
        exclusive.set();
        co_await holders.settle();
        UMS_ASSERT(holders.log.size() == 6);  // SH4, UP5 and SH6 together; UP7 waits for UP5
        UMS_ASSERT(!holders.latch.try_acquire(kShared));
        rest.set();
        co_await holders.group.join();
        UMS_ASSERT(!holders.latch.is_busy());
        log = holders.log;
    });
    CHECK(log == std::vector<std::string>{"SH1", "UP2", "EX3", "SH4", "UP5", "SH6", "UP7"});
}

TEST_CASE("a downgrade admits what is compatible with shared and nothing else, without a gap") {
    for (const LatchMode from : {kExclusive, kUpdate}) {
        CAPTURE(static_cast<int>(from));
        std::vector<std::string> log;
        run_virtual({}, [&](World& world) -> Task<void> {
            Holders holders{world};
            Scheduler& here = world.schedulers[0];
            Event let_go;
            co_await holders.latch.acquire(from, kLatchWait);
            here.spawn(holders.group, "1", holders.hold(kUpdate, "UP1", let_go));
            here.spawn(holders.group, "2", holders.hold(kShared, "SH2", let_go));
            here.spawn(holders.group, "3", holders.hold(kExclusive, "EX3", let_go));
            here.spawn(holders.group, "4", holders.hold(kShared, "SH4", let_go));
            co_await holders.settle();
            UMS_ASSERT(holders.log.empty());
            holders.latch.downgrade_to_shared(from);
            co_await holders.settle();
            UMS_ASSERT((holders.log == std::vector<std::string>{"UP1", "SH2"}));
            let_go.set();
            co_await holders.settle();
            UMS_ASSERT(holders.log.size() == 2);  // EX3 waits for our shared latch
            holders.latch.release(kShared);
            co_await holders.group.join();
            log = holders.log;
        });
        CHECK(log == std::vector<std::string>{"UP1", "SH2", "EX3", "SH4"});
    }
}

TEST_CASE("a task may destroy the latch as soon as it is woken") {
    // AddressSanitizer and ThreadSanitizer notice if release() still accesses the latch.
    int destroyed = 0;
    run_real(RunOptions{.cpu_count = 2}, [&](World& world) -> Task<void> {
        auto hold = [](Latch& latch, Event& held) -> Task<void> {
            co_await latch.acquire(kExclusive, kLatchWait);
            held.set();
            co_await Scheduler::current().yield();
            latch.release(kExclusive);
        };
        for (int round = 0; round < 500; ++round) {
            auto latch = std::make_unique<Latch>();
            Event held;
            TaskGroup group;
            world.schedulers[1].spawn(group, "hold", hold(*latch, held));
            co_await held.wait(kLatchWait);
            co_await latch->acquire(kExclusive, kLatchWait);
            latch->release(kExclusive);
            latch.reset();
            ++destroyed;
            co_await group.join();
        }
    });
    CHECK(destroyed == 500);
}

// What the holders of a latch see of each other.
struct Occupancy {
    std::atomic<int> shared{0};
    std::atomic<int> update{0};
    std::atomic<int> exclusive{0};
    std::atomic<int> violations{0};
    int contents = 0;  // plain: the latch protects it, and ThreadSanitizer watches

    void check(bool fine) {
        if (!fine) violations.fetch_add(1);
    }
    void enter(LatchMode mode) {
        switch (mode) {
            case kShared: ++shared; break;
            case kUpdate: check(++update == 1); break;
            case kExclusive:
                check(++exclusive == 1 && shared == 0 && update == 0);
                ++contents;
                break;
        }
        if (mode != kExclusive) check(exclusive == 0 && contents >= 0);
    }
    void leave(LatchMode mode) {
        switch (mode) {
            case kShared: --shared; break;
            case kUpdate: --update; break;
            case kExclusive: --exclusive; break;
        }
    }
};

TEST_CASE("four schedulers compete for a latch, and its modes keep their promises") {
    Latch latch;
    Occupancy inside;
    std::atomic<int> changes{0};
    auto use = [&](Prng& prng) -> Task<void> {
        auto mode = static_cast<LatchMode>(prng.below(3));
        if (prng.below(4) != 0 || !latch.try_acquire(mode)) co_await latch.acquire(mode, kLatchWait);
        if (mode == kExclusive) changes.fetch_add(1);
        inside.enter(mode);
        if (prng.below(3) == 0) co_await Scheduler::current().yield();
        inside.leave(mode);
        if (mode != kShared && prng.below(3) == 0) {
            latch.downgrade_to_shared(mode);
            mode = kShared;
            inside.enter(mode);
            if (prng.below(2) == 0) co_await Scheduler::current().yield();
            inside.leave(mode);
        }
        latch.release(mode);
    };
    run_contended({.cpu_count = 4, .tasks = 12, .rounds = 300, .seed = testing::test_seed("latch")}, use);
    CHECK(inside.violations == 0);
    CHECK(inside.contents == changes);
    CHECK_FALSE(latch.is_busy());
}

TEST_CASE("releasing what is not held, destroying what is held, or downgrading from shared is an internal error") {
    for (const LatchMode mode : {kShared, kUpdate, kExclusive}) {
        CHECK(testing::aborts([mode] {
            Latch latch;
            latch.release(mode);
        }));
        CHECK(testing::aborts([mode] {
            Latch latch;
            static_cast<void>(latch.try_acquire(mode));
        }));
    }
    CHECK(testing::aborts([] {
        Latch latch;
        static_cast<void>(latch.try_acquire(kShared));
        latch.downgrade_to_shared(kShared);
    }));
}

}  // namespace
}  // namespace ums
