// Wake-ups between schedulers. The engines of the stress tests sleep for at least 20 s unless they are woken: the scheduler's own limit of
// one second would hide a wake-up that was lost.
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/scheduler_run.hpp"
#include "tests/support/seed.hpp"
#include "ums/base/prng.hpp"
#include "ums/sched/event.hpp"
#include "ums/sched/scheduler_group.hpp"

namespace ums {
namespace {

using testing::run_real;
using testing::RunOptions;
using testing::World;

constexpr WaitType kWakeUpWait = WaitType::logbuffer;
constexpr std::uint64_t kPatienceNs = 20 * kNsPerSecond;

void check_no_wake_up_was_lost(World& world) {
    for (std::uint32_t id = 0; id < world.schedulers.size(); ++id) CHECK(world.storage.engine(id).expired_waits() == 0);
}

// Calls the test at the two critical moments, on the scheduler's thread but outside of its turns, as other threads would.
struct MomentEngine final : IoEngine {
    std::function<void()> before_sleep;  // between the last look at the queues and sleep()
    std::function<void()> asleep;
    int waits = 0;
    int wakes = 0;

    [[nodiscard]] std::string_view name() const override { return "moment"; }
    void submit(IoRequest&) override { UMS_ASSERT(!"no requests here"); }
    void poll(IoRequestList&) override {}
    void wait(std::uint64_t) override {
        ++waits;
        if (asleep) asleep();
    }
    void wake() override { ++wakes; }
    [[nodiscard]] std::uint32_t in_flight() const override { return 0; }
    [[nodiscard]] std::uint64_t next_completion_ns() const override {
        if (before_sleep) before_sleep();
        return kNever;
    }
};

// One scheduler, driven by hand as its thread would do it.
struct OneScheduler {
    RealClock clock;
    MomentEngine* engine = new MomentEngine;
    Scheduler scheduler{0, clock, std::unique_ptr<IoEngine>(engine), 4, 0};
    std::atomic<bool> stopping{false};

    void run_until_idle() {
        while (scheduler.turn()) {
        }
    }
    void fall_asleep() {
        static_cast<void>(scheduler.next_event_ns());
        scheduler.sleep(kNsPerSecond, stopping);
    }
};

TEST_CASE("a wake-up between the last look at the inbox and falling asleep keeps the scheduler awake") {
    OneScheduler one;
    Event event;
    bool woken = false;
    auto wait = [&]() -> Task<void> {
        co_await event.wait(kWakeUpWait);
        woken = true;
    };
    TaskGroup group;
    one.scheduler.spawn(group, "wait", wait());
    one.run_until_idle();
    one.engine->before_sleep = [&] { event.set(); };
    one.fall_asleep();
    CHECK(one.engine->waits == 0);
    one.run_until_idle();
    CHECK(woken);
}

TEST_CASE("a scheduler that is to stop does not fall asleep") {
    OneScheduler one;
    one.stopping = true;
    one.fall_asleep();
    CHECK(one.engine->waits == 0);
    one.stopping = false;
    one.fall_asleep();
    CHECK(one.engine->waits == 1);
}

TEST_CASE("many wake-ups of a sleeping scheduler call its engine once, those of a scheduler that is awake never") {
    constexpr int kTasks = 50;
    OneScheduler one;
    std::array<Event, kTasks> events;
    int woken = 0;
    auto wait = [&](Event& event) -> Task<void> {
        co_await event.wait(kWakeUpWait);
        event.reset();
        co_await event.wait(kWakeUpWait);
        ++woken;
    };
    TaskGroup group;
    for (Event& event : events) one.scheduler.spawn(group, "wait", wait(event));
    one.run_until_idle();
    CHECK(one.engine->wakes == 0);
    one.engine->asleep = [&] {
        for (Event& event : events) event.set();
    };
    one.fall_asleep();
    CHECK(one.engine->wakes == 1);
    one.run_until_idle();
    for (Event& event : events) event.set();
    CHECK(one.engine->wakes == 1);
    one.run_until_idle();
    CHECK(woken == kTasks);
    CHECK(one.scheduler.statistics().wakeups_from_others == 3 * kTasks);
}

// Wakes exactly one waiter per signal.
struct Baton {
    Event event;

    Task<void> take() {
        co_await event.wait(kWakeUpWait);
        event.reset();
    }
    void pass() { event.set(); }
};

TEST_CASE("a baton that goes round four schedulers, which sleep in between, is never lost") {
    constexpr std::uint32_t kSchedulers = 4;
    constexpr int kRounds = 1500;
    const std::uint64_t seed = testing::test_seed("one baton");
    std::atomic<int> passes{0};
    run_real(
        RunOptions{.cpu_count = kSchedulers, .sleep_ns_min = kPatienceNs},
        [&](World& world) -> Task<void> {
            std::vector<Baton> batons(kSchedulers);
            auto runner = [&](std::uint32_t id) -> Task<void> {
                Prng prng(seed + id);
                for (int round = 0; round < kRounds; ++round) {
                    co_await batons[id].take();
                    for (std::uint64_t spin = prng.below(300); spin > 0; --spin) std::atomic_signal_fence(std::memory_order_seq_cst);
                    passes.fetch_add(1);
                    batons[(id + 1) % kSchedulers].pass();
                }
            };
            TaskGroup group;
            for (std::uint32_t id = 0; id < kSchedulers; ++id) world.schedulers[id].spawn(group, "runner", runner(id));
            batons[0].pass();
            co_await group.join();
        },
        check_no_wake_up_was_lost);
    CHECK(passes == static_cast<int>(kSchedulers) * kRounds);
}

TEST_CASE("many batons between busy and idle schedulers, with I/O in between, are never lost") {
    constexpr std::uint32_t kSchedulers = 4;
    constexpr std::uint32_t kPairs = 8;
    constexpr int kRounds = 200;
    const std::uint64_t seed = testing::test_seed("many batons");
    std::atomic<int> passes{0};
    run_real(
        RunOptions{
            .cpu_count = kSchedulers, .delay = [](const IoRequest& request) { return request.size_bytes; }, .sleep_ns_min = kPatienceNs},
        [&](World& world) -> Task<void> {
            struct Pair {
                Baton there;
                Baton back;
            };
            auto player = [&](Baton& mine, Baton& yours, std::uint64_t number) -> Task<void> {
                Prng prng(seed + number);
                for (int round = 0; round < kRounds; ++round) {
                    co_await mine.take();
                    switch (prng.below(3)) {
                        case 0: co_await Scheduler::current().yield(); break;
                        case 1: {
                            IoRequest request;
                            request.size_bytes = prng.below(30 * kNsPerUs);
                            co_await Scheduler::current().io(request);
                            break;
                        }
                        default: break;
                    }
                    passes.fetch_add(1);
                    yours.pass();
                }
            };
            std::vector<std::unique_ptr<Pair>> pairs;
            TaskGroup group;
            Prng prng(seed);
            for (std::uint32_t i = 0; i < kPairs; ++i) {
                Pair& pair = *pairs.emplace_back(std::make_unique<Pair>());
                const auto first = static_cast<std::uint32_t>(prng.below(kSchedulers));
                const auto second = static_cast<std::uint32_t>(prng.below(kSchedulers));
                world.schedulers[first].spawn(group, "there", player(pair.there, pair.back, 2 * i));
                world.schedulers[second].spawn(group, "back", player(pair.back, pair.there, 2 * i + 1));
                pair.there.pass();
            }
            co_await group.join();
        },
        check_no_wake_up_was_lost);
    CHECK(passes == static_cast<int>(kPairs) * 2 * kRounds);
}

TEST_CASE("requests that finish while the scheduler falls asleep wake it") {
    constexpr int kRounds = 2000;
    const std::uint64_t seed = testing::test_seed("completions against sleep");
    int finished = 0;
    run_real(
        RunOptions{.delay = [](const IoRequest& request) { return request.size_bytes; }, .sleep_ns_min = kPatienceNs},
        [&](World&) -> Task<void> {
            Prng prng(seed);
            IoRequest request;
            for (int round = 0; round < kRounds; ++round) {
                request.size_bytes = prng.below(3000);
                co_await Scheduler::current().io(request);
                finished += request.is_complete_transfer() ? 1 : 0;
            }
        },
        check_no_wake_up_was_lost);
    CHECK(finished == kRounds);
}

}  // namespace
}  // namespace ums
