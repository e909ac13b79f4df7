// Devices that answer immediately: requests complete in the call that starts them, and it pays to start many with one call.
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/scheduler_run.hpp"
#include "ums/sched/scheduler.hpp"

namespace ums {
namespace {

using testing::fixed_delay;
using testing::run_real;
using testing::run_with_clock;
using testing::RunOptions;
using testing::World;

constexpr std::uint64_t kComputingNs = 500;

// Reads one page and computes on it. Time passes while tasks compute.
Task<void> read_and_compute(VirtualClock& clock) {
    IoRequest request;
    request.size_bytes = 8192;
    co_await Scheduler::current().io(request);
    co_await Scheduler::current().before_computing(true);
    clock.advance_to(clock.now_ns() + kComputingNs);
}

Task<void> read_pages(VirtualClock& clock, int count) {
    for (int i = 0; i < count; ++i) co_await read_and_compute(clock);
}

// How many requests a call starts, on average, with 64 tasks and calls that take `call_ns`.
std::uint64_t requests_a_call(std::uint64_t call_ns) {
    VirtualClock clock;
    std::uint64_t polls = 0;
    std::uint64_t submits = 0;
    run_with_clock(
        clock, RunOptions{.delay = fixed_delay(0)},
        [&](World& world) -> Task<void> {
            world.storage.engine(0).call_in_polls([&clock, call_ns] { clock.advance_to(clock.now_ns() + call_ns); });
            TaskGroup group;
            for (int i = 0; i < 64; ++i) world.schedulers[0].spawn(group, "reader", read_pages(clock, 100));
            co_await group.join();
        },
        [&](World& world) {
            polls = world.storage.engine(0).polls();
            submits = world.storage.engine(0).submits();
        });
    CHECK(submits == 64 * 100);
    return submits / polls;
}

TEST_CASE("a device that answers immediately gets the requests of 16 us of computing in one call, or of as long as a longer call takes") {
    const std::uint64_t of_short_calls = requests_a_call(0);
    CHECK(of_short_calls >= 16);
    CHECK(of_short_calls <= 40);
    CHECK(requests_a_call(100 * kNsPerUs) >= 60);
}

TEST_CASE("a request of a device that answers immediately does not wait for a second call before its task has the answer") {
    constexpr int kReaders = 64;
    VirtualClock clock;
    int waited_longer = 0;
    run_with_clock(
        clock, RunOptions{.delay = fixed_delay(0)},
        [&](World& world) -> Task<void> {
            testing::ManualEngine& engine = world.storage.engine(0);
            engine.call_in_polls([&clock] { clock.advance_to(clock.now_ns() + 100 * kNsPerUs); });
            auto read = [&]() -> Task<void> {
                for (int i = 0; i < 50; ++i) {
                    const std::uint64_t polls = engine.polls();
                    IoRequest request;
                    request.size_bytes = 8192;
                    co_await Scheduler::current().io(request);
                    if (engine.polls() > polls + 1) ++waited_longer;
                    co_await Scheduler::current().before_computing(true);
                    clock.advance_to(clock.now_ns() + kComputingNs);
                }
            };
            TaskGroup group;
            for (int i = 0; i < kReaders; ++i) world.schedulers[0].spawn(group, "reader", read());
            co_await group.join();
        },
        [](World&) {});
    CHECK(waited_longer <= kReaders);  // until the device is known, and at the end
}

TEST_CASE("no task goes first for a device that answers immediately") {
    VirtualClock clock;
    std::string log;
    bool answers_at_once = false;
    run_with_clock(
        clock, RunOptions{.delay = fixed_delay(0)},
        [&](World& world) -> Task<void> {
            clock.advance_to(kComputingNs);
            co_await read_pages(clock, 2);
            answers_at_once = Scheduler::current().device_completes_immediately();
            TaskGroup group;
            auto other = [&]() -> Task<void> {
                log += "other";
                co_return;
            };
            world.schedulers[0].spawn(group, "other", other());
            co_await Scheduler::current().before_computing(true);
            log += "computes, ";
            co_await group.join();
        },
        [](World&) {});
    CHECK(answers_at_once);
    CHECK(log == "computes, other");
}

TEST_CASE("a device that no longer answers immediately is kept busy again while tasks compute") {
    VirtualClock clock;
    std::uint64_t delay_ns = 0;
    bool answered_at_once = false;
    bool still_answers = true;
    std::uint64_t computed_ns = 0;
    std::uint64_t started_by_ns = 0;
    run_with_clock(
        clock, RunOptions{.delay = [&](const IoRequest&) { return delay_ns; }},
        [&](World& world) -> Task<void> {
            clock.advance_to(kComputingNs);
            co_await read_pages(clock, 2);
            answered_at_once = Scheduler::current().device_completes_immediately();
            delay_ns = kNsPerMs;
            co_await read_pages(clock, 1);
            still_answers = Scheduler::current().device_completes_immediately();
            TaskGroup group;
            auto start = [&]() -> Task<void> {
                started_by_ns = clock.now_ns();
                co_await read_and_compute(clock);
            };
            world.schedulers[0].spawn(group, "start", start());
            co_await Scheduler::current().before_computing(true);
            computed_ns = clock.now_ns();
            clock.advance_to(clock.now_ns() + kComputingNs);
            co_await group.join();
        },
        [](World&) {});
    CHECK(answered_at_once);
    CHECK_FALSE(still_answers);
    CHECK(started_by_ns != 0);
    CHECK(started_by_ns <= computed_ns);
}

TEST_CASE("requests that complete in a later call do not make a device count as one that answers immediately") {
    VirtualClock clock;
    bool answers_at_once = false;
    run_with_clock(
        clock, RunOptions{.delay = fixed_delay(20 * kNsPerUs)},
        [&](World& world) -> Task<void> {
            TaskGroup group;
            auto look = [&]() -> Task<void> {
                for (int i = 0; i < 50; ++i) {
                    co_await read_and_compute(clock);
                    answers_at_once |= Scheduler::current().device_completes_immediately();
                }
            };
            for (int i = 0; i < 64; ++i) world.schedulers[0].spawn(group, "reader", look());
            co_await group.join();
        },
        [](World&) {});
    CHECK_FALSE(answers_at_once);
}

TEST_CASE("if there is nothing else to do, a device that answers immediately is polled instead of slept on") {
    constexpr std::uint64_t kRequests = 2000;
    run_real(
        {},
        [&](World&) -> Task<void> {
            for (std::uint64_t i = 0; i < kRequests; ++i) {
                IoRequest request;
                request.size_bytes = 8192;
                co_await Scheduler::current().io(request);
            }
        },
        [&](World& world) { CHECK(world.schedulers[0].statistics().turns < kRequests + kRequests / 2); });
}

TEST_CASE("a task whose files are in memory lets others run after 20 us, long before its quantum ends") {
    VirtualClock clock;
    std::string order;
    run_with_clock(
        clock, {},
        [&](World& world) -> Task<void> {
            auto read_and_work = [&](char name) -> Task<void> {
                for (int i = 0; i < 3; ++i) {
                    clock.advance_to(clock.now_ns() + 15 * kNsPerUs);
                    IoRequest request;
                    request.size_bytes = 8192;
                    request.file.is_in_memory = true;
                    co_await Scheduler::current().io(request);
                    order += name;
                }
            };
            TaskGroup group;
            world.schedulers[0].spawn(group, "first", read_and_work('a'));
            world.schedulers[0].spawn(group, "second", read_and_work('b'));
            co_await group.join();
        },
        [](World& world) { CHECK(world.storage.engine(0).copies() == 6); });
    CHECK(order == "abaabb");
}

}  // namespace
}  // namespace ums
