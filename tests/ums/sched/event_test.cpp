#include "ums/sched/event.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/death.hpp"
#include "tests/support/pin_thread.hpp"
#include "tests/support/scheduler_run.hpp"
#include "tests/support/seed.hpp"
#include "ums/base/prng.hpp"

namespace ums {
namespace {

using testing::run_real;
using testing::run_virtual;
using testing::RunOptions;
using testing::World;

constexpr WaitType kEventWait = WaitType::logbuffer;

TEST_CASE("an event wakes all waiting tasks in the order in which they came, and stays set until reset") {
    std::vector<std::string> log;
    run_virtual({}, [&](World& world) -> Task<void> {
        Event event;
        TaskGroup group;
        auto wait = [&](std::string name) -> Task<void> {
            const bool happened = co_await event.wait(kEventWait);
            log.push_back(name + (happened ? " woken" : " late"));
        };
        for (const char* name : {"a", "b", "c"}) world.schedulers[0].spawn(group, name, wait(name));
        co_await sleep_until(world.clock.now_ns() + 100);
        log.emplace_back("set");
        event.set();
        UMS_ASSERT(event.is_set());
        co_await group.join();
        co_await wait("d");  // does not wait
        event.reset();
        UMS_ASSERT(!event.is_set());
        world.schedulers[0].spawn(group, "e", wait("e"));
        co_await sleep_until(world.clock.now_ns() + 100);
        log.emplace_back("set again");
        event.set();
        co_await group.join();
    });
    CHECK(log == std::vector<std::string>{"set", "a woken", "b woken", "c woken", "d woken", "set again", "e woken"});
}

TEST_CASE("a wait with a deadline ends at the deadline or at the event, whichever comes first") {
    struct End {
        std::uint64_t at_ns;
        bool happened;
        bool operator==(const End&) const = default;
    };
    std::vector<End> ends;
    std::uint64_t start_ns = 0;
    run_virtual({}, [&](World& world) -> Task<void> {
        start_ns = world.clock.now_ns();
        Event event;
        TaskGroup group;
        auto wait = [&](std::uint64_t deadline_ns) -> Task<void> {
            const bool happened = co_await event.wait(kEventWait, deadline_ns == kNever ? kNever : start_ns + deadline_ns);
            ends.push_back(End{world.clock.now_ns() - start_ns, happened});
        };
        for (const std::uint64_t deadline_ns : {std::uint64_t{50}, std::uint64_t{150}, kNever, std::uint64_t{20}})
            world.schedulers[0].spawn(group, "wait", wait(deadline_ns));
        co_await sleep_until(start_ns + 100);
        event.set();
        co_await group.join();
        UMS_ASSERT(Scheduler::current().timers().next_deadline_ns() == kNever);  // no deadline is left behind
        event.reset();
        co_await wait(0);  // a deadline that has already passed
    });
    CHECK(ends == std::vector<End>{{20, false}, {50, false}, {100, true}, {100, true}, {100, false}});
}

TEST_CASE("a deadline that passes after the event has woken the task does not touch the event again") {
    // The waiter on scheduler 1 has its deadline in the same instant in which scheduler 0 sets the event and destroys it: scheduler 1 then
    // sees the wake-up and the deadline in one turn. AddressSanitizer sees it if the deadline still looks at the event.
    bool happened = false;
    run_virtual(RunOptions{.cpu_count = 2}, [&](World& world) -> Task<void> {
        const std::uint64_t deadline_ns = world.clock.now_ns() + 1000;
        auto event = std::make_unique<Event>();
        TaskGroup group;
        auto wait = [&]() -> Task<void> { happened = co_await event->wait(kEventWait, deadline_ns); };
        world.schedulers[1].spawn(group, "wait", wait());
        co_await sleep_until(deadline_ns);
        event->set();
        event.reset();
        co_await group.join();
    });
    CHECK(happened);
}

TEST_CASE("sleeps end in the order of their deadlines, and never early") {
    std::vector<std::uint64_t> ends;
    run_virtual({}, [&](World& world) -> Task<void> {
        TaskGroup group;
        auto sleep = [&](std::uint64_t until_ns) -> Task<void> {
            co_await sleep_until(until_ns);
            UMS_ASSERT(world.clock.now_ns() == until_ns);
            ends.push_back(until_ns);
        };
        for (const std::uint64_t until_ns : {700U, 300U, 500U, 100U}) world.schedulers[0].spawn(group, "sleep", sleep(until_ns));
        co_await group.join();
    });
    CHECK(ends == std::vector<std::uint64_t>{100, 300, 500, 700});
}

TEST_CASE("with a real clock a sleep takes at least its time") {
    std::uint64_t slept_ns = 0;
    run_real({}, [&](World& world) -> Task<void> {
        const std::uint64_t start_ns = world.clock.now_ns();
        co_await sleep_until(start_ns + 20 * kNsPerMs);
        slept_ns = world.clock.now_ns() - start_ns;
    });
    CHECK(slept_ns >= 20 * kNsPerMs);
    CHECK(slept_ns < 10 * kNsPerSecond);
}

TEST_CASE("one thread wakes a scheduler that is about to fall asleep, and no wake-up is lost") {
    static constexpr std::uint32_t kRounds = 15'000;
    const std::uint64_t seed = testing::test_seed("a wake-up in the moment of falling asleep");
    std::uint32_t woken = 0;
    run_real(
        RunOptions{.sleep_ns_min = 20 * kNsPerSecond},
        [&](World& world) -> Task<void> {
            Event answer;
            std::atomic<std::uint32_t> asked{0};
            testing::pin_this_thread(0);
            std::thread alien([&] {
                testing::pin_this_thread(1);
                Prng prng(seed);
                for (std::uint32_t round = 1; round <= kRounds; ++round) {
                    while (asked.load() != round) {
                    }
                    const std::uint64_t until_ns = world.clock.now_ns() + prng.below(std::uint64_t{1} << prng.below(12));
                    while (world.clock.now_ns() < until_ns) {
                    }
                    answer.set();
                }
            });
            for (std::uint32_t round = 1; round <= kRounds; ++round) {
                asked.store(round);
                co_await answer.wait(kEventWait);
                answer.reset();
                ++woken;
            }
            alien.join();
        },
        [](World& world) { CHECK(world.storage.engine(0).expired_waits() == 0); });
    CHECK(woken == kRounds);
}

TEST_CASE("threads without a scheduler wake tasks, and no wake-up is lost") {
    constexpr std::uint32_t kSchedulers = 2;
    static constexpr std::uint32_t kRounds = 3000;
    const std::uint64_t seed = testing::test_seed("events set by alien threads");
    std::atomic<int> woken{0};
    run_real(
        RunOptions{.cpu_count = kSchedulers, .sleep_ns_min = 20 * kNsPerSecond},
        [&](World& world) -> Task<void> {
            struct Line {
                Event ask;
                Event answer;
                std::atomic<std::uint32_t> asked{0};
                std::atomic<std::uint32_t> answered{0};
            };
            auto ask = [&](Line& line) -> Task<void> {
                for (std::uint32_t round = 1; round <= kRounds; ++round) {
                    line.asked.store(round);
                    while (line.answered.load() != round) {
                        co_await line.answer.wait(kEventWait);
                        line.answer.reset();
                    }
                    woken.fetch_add(1);
                }
            };
            std::vector<std::unique_ptr<Line>> lines;
            std::vector<std::thread> aliens;
            TaskGroup group;
            for (std::uint32_t id = 0; id < kSchedulers; ++id) {
                Line& line = *lines.emplace_back(std::make_unique<Line>());
                aliens.emplace_back([&line, seed, id] {
                    Prng prng(seed + id);
                    for (std::uint32_t round = 1; round <= kRounds; ++round) {
                        while (line.asked.load() != round) std::this_thread::yield();
                        // Wakes sometimes just before and sometimes just after the scheduler goes to sleep.
                        for (std::uint64_t spin = prng.below(400); spin > 0; --spin) std::atomic_signal_fence(std::memory_order_seq_cst);
                        line.answered.store(round);
                        line.answer.set();
                    }
                });
                world.schedulers[id].spawn(group, "ask", ask(line));
            }
            co_await group.join();
            for (std::thread& alien : aliens) alien.join();
        },
        [](World& world) {
            for (std::uint32_t id = 0; id < kSchedulers; ++id) CHECK(world.storage.engine(id).expired_waits() == 0);
        });
    CHECK(woken == static_cast<int>(kSchedulers * kRounds));
}

TEST_CASE("deadlines race with set() from other threads: every wait ends once, with the right result") {
    constexpr std::uint32_t kSchedulers = 2;
    constexpr int kRounds = 400;
    const std::uint64_t seed = testing::test_seed("deadlines against set()");
    std::atomic<int> happened{0};
    std::atomic<int> timed_out{0};
    std::atomic<int> lies{0};
    run_real(RunOptions{.cpu_count = kSchedulers}, [&](World& world) -> Task<void> {
        std::atomic<Event*> current{nullptr};
        std::atomic<bool> over{false};
        std::thread alien([&] {
            while (!over.load()) {
                if (Event* event = current.exchange(nullptr)) {
                    event->set();
                    // From here on it may be gone at any moment.
                }
            }
        });
        auto wait = [&](Event& event, std::uint64_t delay_ns) -> Task<void> {
            const std::uint64_t deadline_ns = world.clock.now_ns() + delay_ns;
            if (co_await event.wait(kEventWait, deadline_ns)) {
                happened.fetch_add(1);
                if (!event.is_set()) lies.fetch_add(1);
            } else {
                timed_out.fetch_add(1);
                if (world.clock.now_ns() < deadline_ns) lies.fetch_add(1);
            }
        };
        Prng prng(seed);
        for (int round = 0; round < kRounds; ++round) {
            auto event = std::make_unique<Event>();
            TaskGroup group;
            for (std::uint32_t id = 0; id < kSchedulers; ++id) world.schedulers[id].spawn(group, "wait", wait(*event, prng.below(20'000)));
            for (std::uint64_t yields = prng.below(8); yields > 0; --yields) co_await Scheduler::current().yield();
            current.store(event.get());
            co_await event->wait(kEventWait);
            co_await group.join();
        }
        over.store(true);
        alien.join();
    });
    CHECK(happened + timed_out == static_cast<int>(kSchedulers) * kRounds);
    CHECK(lies == 0);
}

TEST_CASE("a task whose wait has ended may destroy the event while the deadlines of others pass") {
    constexpr int kRounds = 2000;
    const std::uint64_t seed = testing::test_seed("deadlines against destruction");
    std::atomic<int> ended{0};
    run_real(RunOptions{.cpu_count = 2}, [&](World& world) -> Task<void> {
        auto wait = [&](Event& event, std::uint64_t deadline_ns) -> Task<void> {
            co_await event.wait(kEventWait, deadline_ns);
            ended.fetch_add(1);
        };
        auto nothing = []() -> Task<void> { co_return; };
        testing::pin_this_thread(0);
        // Keeps scheduler 1 awake, so that deadlines are seen within a fraction of a microsecond.
        std::atomic<bool> over{false};
        auto spin = [&]() -> Task<void> {
            testing::pin_this_thread(1);
            while (!over.load()) co_await Scheduler::current().yield();
        };
        TaskGroup spinning;
        world.schedulers[1].spawn(spinning, "spin", spin());
        Prng prng(seed);
        for (int round = 0; round < kRounds; ++round) {
            auto event = std::make_unique<Event>();
            TaskGroup waiting;
            const std::uint64_t deadline_ns = world.clock.now_ns() + 10 * kNsPerUs + prng.below(20 * kNsPerUs);
            world.schedulers[1].spawn(waiting, "wait", wait(*event, deadline_ns));
            TaskGroup reached;  // runs after it: now the other one waits
            world.schedulers[1].spawn(reached, "nothing", nothing());
            co_await reached.join();
            const std::uint64_t set_ns = deadline_ns + prng.below(500);
            while (world.clock.now_ns() < set_ns) {
            }
            event->set();
            co_await event->wait(kEventWait);
            event.reset();
            co_await waiting.join();
        }
        over.store(true);
        co_await spinning.join();
    });
    CHECK(ended == kRounds);
}

TEST_CASE("destroying an event that a task waits for is an internal error") {
    CHECK(testing::aborts([] {
        run_virtual({}, [](World& world) -> Task<void> {
            auto event = std::make_unique<Event>();
            auto wait = [&]() -> Task<void> { co_await event->wait(kEventWait); };
            TaskGroup group;
            world.schedulers[0].spawn(group, "wait", wait());
            co_await Scheduler::current().yield();
            event.reset();
        });
    }));
}

}  // namespace
}  // namespace ums
