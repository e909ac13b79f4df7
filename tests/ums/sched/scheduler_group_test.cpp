#include "ums/sched/scheduler_group.hpp"

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/death.hpp"
#include "tests/support/scheduler_run.hpp"
#include "tests/support/seed.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/prng.hpp"
#include "ums/io/forwarding_storage.hpp"
#include "ums/io/posix_storage.hpp"
#include "ums/sched/latch.hpp"
#include "ums/sched/semaphore.hpp"

namespace ums {
namespace {

using testing::fixed_delay;
using testing::run_real;
using testing::run_virtual;
using testing::run_with_clock;
using testing::RunOptions;
using testing::World;

TEST_CASE("a group runs its main task on scheduler 0 and each scheduler on its own thread") {
    std::vector<std::thread::id> threads(3);
    run_real(RunOptions{.cpu_count = 3}, [&](World& world) -> Task<void> {
        UMS_ASSERT(Scheduler::current().id() == 0);
        auto note = [&](std::uint32_t id) -> Task<void> {
            threads[id] = std::this_thread::get_id();
            co_return;
        };
        TaskGroup group;
        for (std::uint32_t id = 0; id < 3; ++id) world.schedulers[id].spawn(group, "note", note(id));
        co_await group.join();
    });
    CHECK(threads[0] != threads[1]);
    CHECK(threads[0] != threads[2]);
    CHECK(threads[1] != threads[2]);
    for (const std::thread::id id : threads) CHECK(id != std::this_thread::get_id());
}

TEST_CASE("an exception that leaves the main task leaves run()") {
    const auto fail = [](World&) -> Task<void> {
        co_await Scheduler::current().yield();
        throw std::runtime_error("start-up failed");
    };
    CHECK_THROWS_WITH(run_real(RunOptions{.cpu_count = 2}, fail), "start-up failed");
    CHECK_THROWS_WITH(run_virtual(RunOptions{.cpu_count = 2}, fail), "start-up failed");
}

TEST_CASE("a run ends immediately when there is nothing to do, even with many schedulers") {
    const RealClock clock;
    const std::uint64_t start_ns = clock.now_ns();
    for (int i = 0; i < 20; ++i) {
        run_real(RunOptions{.cpu_count = 8}, [](World&) -> Task<void> { co_return; });
    }
    CHECK(clock.now_ns() - start_ns < 10 * kNsPerSecond);  // each wake-up that is lost at the end costs a second
}

TEST_CASE("the run ends only when every request has come back") {
    constexpr std::uint32_t kSchedulers = 3;
    constexpr int kRequests = 40;
    const std::uint64_t seed = testing::test_seed("requests in flight at the end");
    std::atomic<int> finished{0};
    Prng prng(seed);
    std::vector<IoRequest> requests(kSchedulers * kRequests);
    for (IoRequest& request : requests) request.size_bytes = prng.below(20 * kNsPerMs);
    const auto main = [&](World& world) -> Task<void> {
        auto transfer = [&](IoRequest& request) -> Task<void> {
            co_await Scheduler::current().io(request);
            finished.fetch_add(1);
        };
        TaskGroup group;
        for (std::size_t i = 0; i < requests.size(); ++i)
            world.schedulers[static_cast<std::uint32_t>(i) % kSchedulers].spawn(group, "io", transfer(requests[i]));
        co_await group.join();
    };
    const auto after = [&](World& world) {
        for (std::uint32_t id = 0; id < kSchedulers; ++id) {
            CHECK(world.storage.engine(id).in_flight() == 0);
            CHECK(world.schedulers[id].pending_io() == 0);
            CHECK(world.schedulers[id].task_count() == 0);
            CHECK(world.schedulers[id].is_drained());
        }
    };
    const RunOptions options{.cpu_count = kSchedulers, .delay = [](const IoRequest& request) { return request.size_bytes; }};
    run_real(options, main, after);
    CHECK(finished == static_cast<int>(requests.size()));
    run_virtual(options, main, after);
    CHECK(finished == 2 * static_cast<int>(requests.size()));
}

TEST_CASE("a task that main leaves behind is an internal error, not a hang") {
    CHECK(testing::aborts([] {
        auto* group = new TaskGroup;
        auto* never = new Event;
        run_real(RunOptions{.cpu_count = 2}, [&](World& world) -> Task<void> {
            auto wait = [](Event& event) -> Task<void> { co_await event.wait(WaitType::logbuffer); };
            world.schedulers[1].spawn(*group, "left behind", wait(*never));
            co_return;
        });
    }));
}

TEST_CASE("with a virtual clock a deadlock is an internal error, not a hang") {
    CHECK(testing::aborts([] {
        run_virtual(RunOptions{.cpu_count = 2}, [](World&) -> Task<void> {
            Latch latch;
            co_await latch.acquire(LatchMode::exclusive, WaitType::pagelatch_ex);
            co_await latch.acquire(LatchMode::exclusive, WaitType::pagelatch_ex);
        });
    }));
}

TEST_CASE("with a virtual clock, time jumps over periods in which nothing happens") {
    const RealClock wall;
    const std::uint64_t wall_start_ns = wall.now_ns();
    VirtualClock clock;
    const std::uint64_t start_ns = clock.now_ns();
    run_with_clock(
        clock, RunOptions{.cpu_count = 2, .delay = fixed_delay(3600 * kNsPerSecond)},
        [&](World&) -> Task<void> {
            co_await sleep_until(start_ns + 24 * 3600 * kNsPerSecond);
            IoRequest request;
            co_await Scheduler::current().io(request);
        },
        [&](World& world) {
            CHECK(clock.now_ns() - start_ns == 25 * 3600 * kNsPerSecond);
            for (std::uint32_t id = 0; id < 2; ++id) CHECK(world.schedulers[id].statistics().idle_ns == 25 * 3600 * kNsPerSecond);
        });
    CHECK(wall.now_ns() - wall_start_ns < 10 * kNsPerSecond);
}

TEST_CASE("groups that run together share one virtual time, and each reports when it is over") {
    VirtualClock clock;
    testing::ManualStorage storage(clock, fixed_delay(7 * kNsPerMs), 0);
    std::vector<std::string> happened;
    const std::uint64_t start_ns = clock.now_ns();
    const auto note = [&](const std::string& what) {
        happened.push_back(std::to_string((clock.now_ns() - start_ns) / kNsPerMs) + " ms: " + what);
    };
    const auto sleeper = [&](std::string name, std::uint64_t first_ms, std::uint64_t second_ms) -> Task<void> {
        co_await sleep_until(start_ns + first_ms * kNsPerMs);
        note(name);
        co_await sleep_until(start_ns + second_ms * kNsPerMs);
        IoRequest request;
        co_await Scheduler::current().io(request);
        note(name);
        if (name == "b") throw std::runtime_error("b failed");
    };
    SchedulerGroup a(SchedulerGroupOptions{.cpu_count = 2, .engine = {}}, storage, clock);
    SchedulerGroup b(SchedulerGroupOptions{.cpu_count = 1, .engine = {}}, storage, clock);
    a.start(sleeper("a", 10, 40));
    b.start(sleeper("b", 20, 30));
    const std::vector<SchedulerGroup*> groups{&a, &b};
    run_together(groups, clock, [&](std::size_t index) { note("over: " + std::to_string(index)); });
    CHECK(happened == std::vector<std::string>{"10 ms: a", "20 ms: b", "37 ms: b", "37 ms: over: 1", "47 ms: a", "47 ms: over: 0"});
    CHECK_NOTHROW(a.finish());
    CHECK_THROWS_WITH(b.finish(), "b failed");
}

// A small world with everything in it: timers, I/O, a latch, a semaphore, events across schedulers. One trace records what happens.
std::vector<std::uint64_t> traced_run(std::uint64_t seed, std::uint64_t shuffle_seed) {
    constexpr std::uint32_t kSchedulers = 3;
    constexpr std::uint32_t kUsers = 9;
    std::vector<std::uint64_t> trace;
    Prng delays(seed);
    const RunOptions options{.cpu_count = kSchedulers,
                             .delay = [&](const IoRequest&) { return delays.between(10, 200) * kNsPerUs; },
                             .shuffle_seed = shuffle_seed};
    run_virtual(options, [&](World& world) -> Task<void> {
        Latch latch;
        Semaphore semaphore(3);
        std::vector<std::unique_ptr<Event>> events;
        for (std::uint32_t i = 0; i < kUsers; ++i) events.push_back(std::make_unique<Event>());
        auto user = [&](std::uint32_t number) -> Task<void> {
            Prng prng(seed ^ mix64(number));
            for (std::uint64_t step = 0; step < 100; ++step) {
                const std::uint64_t what = prng.below(6);
                switch (what) {
                    case 0: co_await sleep_until(world.clock.now_ns() + prng.below(100) * kNsPerUs); break;
                    case 1: {
                        IoRequest request;
                        co_await Scheduler::current().io(request);
                        break;
                    }
                    case 2: {
                        const auto mode = static_cast<LatchMode>(prng.below(3));
                        co_await latch.acquire(mode, WaitType::pagelatch_ex);
                        co_await Scheduler::current().yield_if_due();
                        latch.release(mode);
                        break;
                    }
                    case 3: {
                        const std::uint64_t units = prng.between(1, 3);
                        co_await semaphore.acquire(units, WaitType::request_block);
                        co_await sleep_until(world.clock.now_ns() + 5 * kNsPerUs);
                        semaphore.release(units);
                        break;
                    }
                    case 4: events[prng.below(kUsers)]->set(); break;
                    default:
                        co_await events[number]->wait(WaitType::logbuffer, world.clock.now_ns() + 50 * kNsPerUs);
                        events[number]->reset();
                }
                trace.push_back(world.clock.now_ns());
                trace.push_back(number * 10 + what);
            }
        };
        TaskGroup group;
        for (std::uint32_t i = 0; i < kUsers; ++i) world.schedulers[i % kSchedulers].spawn(group, "user", user(i));
        co_await group.join();
    });
    return trace;
}

TEST_CASE("with a virtual clock, the same seed gives the same run, and another seed a different one") {
    const std::uint64_t seed = testing::test_seed("virtual trace");
    const std::vector<std::uint64_t> trace = traced_run(seed, 0);
    CHECK(trace.size() == 2 * 9 * 100);
    CHECK(traced_run(seed, 0) == trace);
    CHECK(traced_run(seed + 1, 0) != trace);
}

TEST_CASE("a shuffle seed changes the order, can be replayed, and loses nothing") {
    const std::uint64_t seed = testing::test_seed("shuffled trace");
    const std::vector<std::uint64_t> plain = traced_run(seed, 0);
    const std::vector<std::uint64_t> shuffled = traced_run(seed, 1);
    CHECK(shuffled.size() == plain.size());
    CHECK(shuffled != plain);
    CHECK(traced_run(seed, 1) == shuffled);
    CHECK(traced_run(seed, 2) != shuffled);
}

TEST_CASE("with shuffling, runnable tasks run in any order and yield_if_due always yields") {
    std::vector<std::string> orders;
    std::uint64_t yields = 0;
    for (const std::uint64_t shuffle_seed : {0U, 1U, 2U, 3U, 4U}) {
        std::string order;
        run_virtual(
            RunOptions{.shuffle_seed = shuffle_seed},
            [&](World& world) -> Task<void> {
                auto work = [&](char name) -> Task<void> {
                    order += name;
                    co_await Scheduler::current().yield_if_due();
                };
                TaskGroup group;
                for (const char name : {'a', 'b', 'c', 'd', 'e', 'f'}) world.schedulers[0].spawn(group, "work", work(name));
                co_await group.join();
            },
            [&](World& world) { yields = world.schedulers[0].statistics().yields; });
        CHECK(yields == (shuffle_seed == 0 ? 0 : 6));
        CHECK(order.size() == 6);
        orders.push_back(order);
    }
    CHECK(orders[0] == "abcdef");
    int others = 0;
    for (const std::string& order : orders) others += order != "abcdef" ? 1 : 0;
    CHECK(others >= 3);
}

TEST_CASE("if only some schedulers got another engine than the first choice, the reason says how many") {
    struct Short final : ForwardingStorage {
        using ForwardingStorage::ForwardingStorage;
        std::unique_ptr<IoEngine> make_engine(const EngineOptions& options, std::string& reason) override {
            auto engine = inner().make_engine(options, reason);
            if (++made > granted) reason = "no ring";
            return engine;
        }
        int made = 0;
        int granted = 0;
    };
    const auto reason_with = [](int granted) {
        PosixStorage posix;
        Short storage(posix);
        storage.granted = granted;
        const RealClock clock;
        return SchedulerGroup({.cpu_count = 3, .engine = {.kind = EngineKind::threads}}, storage, clock).engine_reason();
    };
    CHECK(reason_with(3).empty());
    CHECK(reason_with(1) == "2 of 3 schedulers: no ring");
    CHECK(reason_with(0) == "no ring");
}

TEST_CASE("shuffling works with threads, too") {
    std::atomic<int> ran{0};
    run_real(RunOptions{.cpu_count = 3, .shuffle_seed = 5}, [&](World& world) -> Task<void> {
        auto work = [&]() -> Task<void> {
            for (int i = 0; i < 50; ++i) co_await Scheduler::current().yield_if_due();
            ran.fetch_add(1);
        };
        TaskGroup group;
        for (std::uint32_t i = 0; i < 30; ++i) world.schedulers[i % 3].spawn(group, "work", work());
        co_await group.join();
    });
    CHECK(ran == 30);
}

}  // namespace
}  // namespace ums
