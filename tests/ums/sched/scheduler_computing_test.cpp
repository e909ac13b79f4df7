// Scheduler::before_computing(): who has I/O to start goes before those who compute on pages.
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

IoRequest read_of_a_page() {
    IoRequest request;
    request.size_bytes = 8192;
    return request;
}

// A task that computes in three steps of 5 us and notes each.
Task<void> compute_in_steps(VirtualClock& clock, std::string& log, char name) {
    for (int i = 0; i < 3; ++i) {
        co_await Scheduler::current().before_computing();
        clock.advance_to(clock.now_ns() + 5 * kNsPerUs);
        log += name;
    }
}

TEST_CASE("before a task computes, those go first who may start I/O") {
    VirtualClock clock;
    std::string log;
    std::uint32_t pending_at_computing = 0;
    run_with_clock(
        clock, RunOptions{.delay = fixed_delay(kNsPerMs)},
        [&](World& world) -> Task<void> {
            auto compute = [&]() -> Task<void> {
                log += "has pages, ";
                co_await Scheduler::current().before_computing();
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

TEST_CASE("what was queued is given to the kernel before a task computes, not by the sleep after it") {
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
        co_await Scheduler::current().before_computing();
        polls_after = world.storage.engine(0).polls();
        co_await group.join();
    });
    CHECK(polls_after > polls_before);
}

TEST_CASE("who computes alone is not interrupted, and whoever has begun goes on before the next begins") {
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

TEST_CASE("a task that wants to compute waits for the others for some microseconds only") {
    VirtualClock clock;
    bool computed = false;
    int rounds = 0;
    run_with_clock(
        clock, {},
        [&](World& world) -> Task<void> {
            auto compute = [&]() -> Task<void> {
                co_await Scheduler::current().before_computing();
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

}  // namespace
}  // namespace ums
