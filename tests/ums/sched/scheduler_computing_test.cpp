// Scheduler::before_computing(): tasks that may start I/O go before tasks that compute on pages.
#include <atomic>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/scheduler_run.hpp"
#include "ums/sched/scheduler.hpp"

namespace ums {
namespace {

using testing::fixed_delay;
using testing::run_real;
using testing::run_virtual;
using testing::run_with_clock;
using testing::RunOptions;
using testing::World;

IoRequest read_of_a_page() {
    IoRequest request;
    request.size_bytes = 8192;
    return request;
}

// A task that computes in three steps of 5 us and logs each.
Task<void> compute_in_steps(VirtualClock& clock, std::string& log, char name) {
    for (int i = 0; i < 3; ++i) {
        co_await Scheduler::current().before_computing(true);
        clock.advance_to(clock.now_ns() + 5 * kNsPerUs);
        log += name;
    }
}

TEST_CASE("tasks that may start I/O run before a task that computes") {
    VirtualClock clock;
    std::string log;
    std::uint32_t pending_at_computing = 0;
    run_with_clock(
        clock, RunOptions{.delay = fixed_delay(kNsPerMs)},
        [&](World& world) -> Task<void> {
            auto compute = [&]() -> Task<void> {
                log += "has pages, ";
                co_await Scheduler::current().before_computing(true);
                pending_at_computing = Scheduler::current().pending_io();
                log += "computes, ";
            };
            auto start = [&]() -> Task<void> {
                log += "starts I/O, ";
                IoRequest request = read_of_a_page();
                co_await Scheduler::current().io(request);
                log += "is done";
            };
            TaskGroup group;
            world.schedulers[0].spawn(group, "compute", compute());
            world.schedulers[0].spawn(group, "start", start());
            co_await group.join();
        },
        [](World&) {});
    CHECK(log == "has pages, starts I/O, computes, is done");
    CHECK(pending_at_computing == 1);
}

TEST_CASE("queued requests are submitted before a task computes, not by the sleep after it") {
    std::uint64_t polls_before = 0;
    std::uint64_t polls_after = 0;
    run_real(RunOptions{.delay = fixed_delay(kNsPerMs)}, [&](World& world) -> Task<void> {
        TaskGroup group;
        auto start = []() -> Task<void> {
            IoRequest request = read_of_a_page();
            co_await Scheduler::current().io(request);
        };
        Scheduler::current().fork(group, start());
        polls_before = world.storage.engine(0).polls();
        co_await Scheduler::current().before_computing(true);
        polls_after = world.storage.engine(0).polls();
        co_await group.join();
    });
    CHECK(polls_after > polls_before);
}

// A clock that runs by itself, but not before go_on(): however slow the machine is, what comes before takes no time.
class HeldClock final : public Clock {
public:
    [[nodiscard]] std::uint64_t now_ns() const override {
        const std::uint64_t from_ns = went_on_ns_.load();
        return from_ns == 0 ? kHeldNs : kHeldNs + (real_.now_ns() - from_ns);
    }
    [[nodiscard]] std::uint64_t utc_us() const override { return real_.utc_us(); }
    [[nodiscard]] bool is_real() const override { return true; }

    void go_on() { went_on_ns_ = real_.now_ns(); }

private:
    static constexpr std::uint64_t kHeldNs = kNsPerMs;

    RealClock real_;
    std::atomic<std::uint64_t> went_on_ns_{0};
};

TEST_CASE("an idle device gets its first request alone, and the busier it is, the more requests are started by one call") {
    constexpr std::size_t kReaders = 64;
    HeldClock clock;
    std::vector<std::uint64_t> polls;  // before each reader's request
    run_with_clock(
        clock, RunOptions{.delay = fixed_delay(kNsPerMs)},
        [&](World& world) -> Task<void> {
            auto start = [&]() -> Task<void> {
                polls.push_back(world.storage.engine(0).polls());
                if (polls.size() == kReaders) clock.go_on();
                IoRequest request = read_of_a_page();
                co_await Scheduler::current().io(request);
            };
            TaskGroup group;
            for (std::size_t i = 0; i < kReaders; ++i) world.schedulers[0].spawn(group, "reader", start());
            co_await group.join();
        },
        [](World&) {});
    REQUIRE(polls.size() == kReaders);
    CHECK(polls[1] > polls[0]);
    CHECK(polls[2] > polls[1]);
    CHECK(polls[kReaders - 1] - polls[kReaders / 2] < kReaders / 4);
}

TEST_CASE("a task that computes alone is not interrupted, and one that has begun finishes before the next one begins") {
    VirtualClock clock;
    std::string log;
    std::uint64_t switches_alone = 0;
    run_with_clock(
        clock, RunOptions{.delay = fixed_delay(kNsPerMs)},
        [&](World& world) -> Task<void> {
            const std::uint64_t before = world.schedulers[0].statistics().switches;
            co_await compute_in_steps(clock, log, 'x');
            switches_alone = world.schedulers[0].statistics().switches - before;
            TaskGroup group;
            auto wait = []() -> Task<void> {
                IoRequest request = read_of_a_page();
                co_await Scheduler::current().io(request);
            };
            world.schedulers[0].spawn(group, "wait", wait());
            for (const char name : {'a', 'b', 'c'}) world.schedulers[0].spawn(group, "compute", compute_in_steps(clock, log, name));
            co_await group.join();
        },
        [](World& world) { CHECK(world.schedulers[0].statistics().yields == 0); });
    CHECK(switches_alone == 0);
    CHECK(log == "xxxaaabbbccc");
}

TEST_CASE("a task that wants to compute waits only a few microseconds for the others") {
    VirtualClock clock;
    bool computed = false;
    int rounds = 0;
    run_with_clock(
        clock, {},
        [&](World& world) -> Task<void> {
            auto compute = [&]() -> Task<void> {
                co_await Scheduler::current().before_computing(true);
                computed = true;
            };
            auto never_rest = [&]() -> Task<void> {
                for (; !computed && rounds < 1000; ++rounds) {
                    clock.advance_to(clock.now_ns() + kNsPerUs);
                    co_await Scheduler::current().yield();
                }
            };
            TaskGroup group;
            world.schedulers[0].spawn(group, "compute", compute());
            world.schedulers[0].spawn(group, "never rest", never_rest());
            co_await group.join();
        },
        [](World&) {});
    CHECK(computed);
    CHECK(rounds >= 3);
    CHECK(rounds <= 6);
}

TEST_CASE("if no device could idle, no task goes first") {
    std::string log;
    run_virtual({}, [&](World& world) -> Task<void> {
        auto other = [&]() -> Task<void> {
            log += "other";
            co_return;
        };
        TaskGroup group;
        world.schedulers[0].spawn(group, "other", other());
        co_await Scheduler::current().before_computing(false);
        log += "computes, ";
        co_await group.join();
    });
    CHECK(log == "computes, other");
}

// With `started` requests at the device another task posts one more; returns how often the engine was polled before this task computed, and
// before it computed again 20 us later.
struct Polls {
    std::uint64_t at_once = 0;
    std::uint64_t later = 0;
};

Polls polls_with(int started, std::uint32_t started_for_one_queued = 4) {
    VirtualClock clock;
    Polls polls;
    run_with_clock(
        clock, RunOptions{.delay = fixed_delay(kNsPerMs), .started_for_one_queued = started_for_one_queued},
        [&](World& world) -> Task<void> {
            auto start = []() -> Task<void> {
                IoRequest request = read_of_a_page();
                co_await Scheduler::current().io(request);
            };
            TaskGroup group;
            Scheduler& scheduler = Scheduler::current();
            for (int i = 0; i < started; ++i) scheduler.fork(group, start());
            for (int i = 0; i < 2; ++i) co_await scheduler.yield();  // the tasks post requests, the engine starts them
            scheduler.fork(group, start());
            const std::uint64_t before = world.storage.engine(0).polls();
            co_await scheduler.before_computing(true);
            polls.at_once = world.storage.engine(0).polls() - before;
            clock.advance_to(clock.now_ns() + 20 * kNsPerUs);
            for (int page = 0; page < 4; ++page) co_await scheduler.before_computing(true);
            polls.later = world.storage.engine(0).polls() - before;
            co_await group.join();
        },
        [](World&) {});
    return polls;
}

TEST_CASE("a busy device gets queued requests a little later, one that has little to do gets them at once") {
    const Polls few = polls_with(3);
    CHECK(few.at_once >= 1);
    const Polls many = polls_with(30);
    CHECK(many.at_once == 0);
    CHECK(many.later >= 1);
    CHECK(polls_with(30, 64).at_once >= 1);
}

}  // namespace
}  // namespace ums
