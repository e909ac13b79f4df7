#include "ums/sched/scheduler.hpp"

#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/death.hpp"
#include "tests/support/scheduler_run.hpp"
#include "ums/sched/latch.hpp"

namespace ums {
namespace {

using testing::fixed_delay;
using testing::run_real;
using testing::run_virtual;
using testing::run_with_clock;
using testing::RunOptions;
using testing::World;

const WaitStatistics& waits_of(const SchedulerStatistics& statistics, WaitType type) {
    return statistics.waits[static_cast<std::size_t>(type)];
}

IoRequest read_of(std::uint64_t size_bytes) {
    IoRequest request;
    request.size_bytes = size_bytes;
    return request;
}

TEST_CASE("tasks that yield take turns") {
    std::string log;
    run_virtual({}, [&](World& world) -> Task<void> {
        auto work = [&](char name) -> Task<void> {
            for (int i = 0; i < 3; ++i) {
                log += name;
                co_await Scheduler::current().yield();
            }
        };
        TaskGroup group;
        for (const char name : {'a', 'b', 'c'}) world.schedulers[0].spawn(group, "work", work(name));
        co_await group.join();
    });
    CHECK(log == "abcabcabc");
}

TEST_CASE("yield_if_due yields when the quantum of 4 ms is used up, and not before") {
    VirtualClock clock;
    std::string log;
    run_with_clock(
        clock, {},
        [&](World& world) -> Task<void> {
            auto other = [&]() -> Task<void> {
                log += "other ";
                co_return;
            };
            auto work = [&]() -> Task<void> {
                TaskGroup group;
                world.schedulers[0].spawn(group, "other", other());
                clock.advance_to(clock.now_ns() + kQuantumNs - 1);
                co_await Scheduler::current().yield_if_due();
                log += "still ";
                clock.advance_to(clock.now_ns() + 1);
                co_await Scheduler::current().yield_if_due();
                log += "again ";
                co_await Scheduler::current().yield_if_due();  // a new quantum has begun
                co_await group.join();
            };
            co_await work();
        },
        [](World& world) { CHECK(world.schedulers[0].statistics().yields == 1); });
    CHECK(log == "still other again ");
}

TEST_CASE("a task that keeps the CPU for more than two quanta is counted") {
    VirtualClock clock;
    run_with_clock(
        clock, {},
        [&](World&) -> Task<void> {
            for (const std::uint64_t run_ns : {kQuantumNs, 2 * kQuantumNs, 2 * kQuantumNs + 1, 5 * kQuantumNs}) {
                clock.advance_to(clock.now_ns() + run_ns);
                co_await Scheduler::current().yield();
            }
        },
        [](World& world) { CHECK(world.schedulers[0].statistics().quantum_overruns == 2); });
}

TEST_CASE("a request comes back to its task with its result and its times") {
    IoRequest whole = read_of(8192);
    std::uint64_t start_ns = 0;
    run_virtual(
        RunOptions{.delay = fixed_delay(70 * kNsPerUs)},
        [&](World& world) -> Task<void> {
            start_ns = world.clock.now_ns();
            whole.error = std::make_error_code(std::errc::io_error);  // left over from an earlier use
            whole.short_bytes = 512;
            whole.reported_long = whole.reported_lost = true;
            co_await Scheduler::current().io(whole);
        },
        [](World& world) {
            CHECK(world.schedulers[0].statistics().io_requests == 1);
            CHECK(world.schedulers[0].pending_io() == 0);
        });
    CHECK(whole.is_complete_transfer());
    CHECK(whole.submitted_ns == start_ns);
    CHECK(whole.duration_ns() == 70 * kNsPerUs);
    CHECK_FALSE((whole.short_bytes != 0 || whole.reported_long || whole.reported_lost));
}

TEST_CASE("short transfers and errors come back as values") {
    IoRequest cut = read_of(8192);
    IoRequest failed = read_of(8192);
    run_real(RunOptions{.delay = fixed_delay(kNever)}, [&](World& world) -> Task<void> {
        TaskGroup group;
        auto transfer = [](IoRequest& request) -> Task<void> { co_await Scheduler::current().io(request); };
        world.schedulers[0].spawn(group, "cut", transfer(cut));
        world.schedulers[0].spawn(group, "failed", transfer(failed));
        co_await Scheduler::current().yield();
        UMS_ASSERT(world.schedulers[0].pending_io() == 2);
        UMS_ASSERT(world.storage.engine(0).complete(failed, 0, std::make_error_code(std::errc::io_error)));
        UMS_ASSERT(world.storage.engine(0).complete(cut, 4096));
        co_await group.join();
    });
    CHECK_FALSE(cut.error);
    CHECK(cut.transferred_bytes == 4096);
    CHECK_FALSE(cut.is_complete_transfer());
    CHECK(failed.error == std::errc::io_error);
    CHECK(cut.completed_ns >= cut.submitted_ns);
}

TEST_CASE("outstanding requests above a given age can be visited, oldest first") {
    std::vector<std::uint64_t> seen;
    run_virtual(RunOptions{.delay = fixed_delay(1000)}, [&](World& world) -> Task<void> {
        const std::uint64_t start_ns = world.clock.now_ns();
        TaskGroup group;
        auto transfer = [&](std::uint64_t after_ns, std::uint64_t size_bytes) -> Task<void> {
            co_await sleep_until(start_ns + after_ns);
            IoRequest request = read_of(size_bytes);
            co_await Scheduler::current().io(request);
        };
        for (const std::uint64_t number : {3U, 1U, 2U}) world.schedulers[0].spawn(group, "io", transfer(number * 100, number));
        co_await sleep_until(start_ns + 500);
        world.schedulers[0].visit_pending_io(start_ns + 300, [&](const IoRequest& request) { seen.push_back(request.size_bytes); });
        co_await group.join();
        world.schedulers[0].visit_pending_io(kNever, [&](const IoRequest&) { seen.push_back(99); });
    });
    CHECK(seen == std::vector<std::uint64_t>{1, 2});
}

TEST_CASE("finished I/O is collected while other tasks keep the CPU busy") {
    // A hundred tasks compute for 50 us at a time and yield, so one round of them takes 5 ms. The completion of a request of 1 ms must be
    // noticed much earlier.
    VirtualClock clock;
    bool over = false;
    run_with_clock(
        clock, RunOptions{.delay = fixed_delay(kNsPerMs)},
        [&](World& world) -> Task<void> {
            auto compute = [&]() -> Task<void> {
                while (!over) {
                    clock.advance_to(clock.now_ns() + 50 * kNsPerUs);
                    co_await Scheduler::current().yield();
                }
            };
            TaskGroup group;
            for (int i = 0; i < 100; ++i) world.schedulers[0].spawn(group, "compute", compute());
            IoRequest request = read_of(8192);
            co_await Scheduler::current().io(request);
            over = true;
            co_await group.join();
        },
        [](World& world) {
            const WaitStatistics& io = waits_of(world.schedulers[0].statistics(), WaitType::io_completion);
            CHECK(io.wait_ns >= 5 * kNsPerMs);  // its task queues behind those that were runnable before
            const std::uint64_t until_runnable_ns = io.wait_ns - io.signal_wait_ns;
            CHECK(until_runnable_ns >= kNsPerMs);
            CHECK(until_runnable_ns <= kNsPerMs + 150 * kNsPerUs);  // I/O is collected every 100 us, but only between runs of 50 us
        });
}

TEST_CASE("tasks run in the order in which other tasks woke them") {
    std::string log;
    run_virtual(RunOptions{.cpu_count = 2}, [&](World& world) -> Task<void> {
        auto work = [&](char name) -> Task<void> {
            log += name;
            co_return;
        };
        TaskGroup group;
        for (const char name : {'a', 'b', 'c', 'd'}) world.schedulers[1].spawn(group, "work", work(name));
        co_await group.join();
    });
    CHECK(log == "abcd");
}

TEST_CASE("a long batch of runnable tasks runs in order, even though it is interrupted to collect I/O") {
    VirtualClock clock;
    std::vector<int> order;
    run_with_clock(
        clock, {},
        [&](World& world) -> Task<void> {
            auto work = [&](int number) -> Task<void> {
                for (int round = 0; round < 2; ++round) {
                    clock.advance_to(clock.now_ns() + 60 * kNsPerUs);
                    order.push_back(round * 10 + number);
                    co_await Scheduler::current().yield();
                }
            };
            TaskGroup group;
            for (int i = 0; i < 5; ++i) world.schedulers[0].spawn(group, "work", work(i));
            co_await group.join();
        },
        [](World& world) { CHECK(world.schedulers[0].statistics().turns > 5); });
    CHECK(order == std::vector{0, 1, 2, 3, 4, 10, 11, 12, 13, 14});
}

TEST_CASE("waits are counted by type, with their times, and signal waits separately") {
    VirtualClock clock;
    run_with_clock(
        clock, RunOptions{.delay = fixed_delay(2 * kNsPerMs)},
        [&](World& world) -> Task<void> {
            Scheduler& here = Scheduler::current();
            IoRequest request = read_of(8192);
            co_await here.io(request);
            co_await here.io(request, WaitType::pageiolatch_sh);
            co_await here.io(request, WaitType::pageiolatch_sh);
            co_await sleep_until(clock.now_ns() + kNsPerMs);
            Event event;
            co_await event.wait(WaitType::checkpoint_queue, clock.now_ns() + 3 * kNsPerMs);
            event.set();
            co_await event.wait(WaitType::checkpoint_queue);  // already set: no wait

            // Runnable immediately, but another task computes for 5 ms first.
            auto compute = [&]() -> Task<void> {
                clock.advance_to(clock.now_ns() + 5 * kNsPerMs);
                co_return;
            };
            TaskGroup group;
            world.schedulers[0].spawn(group, "compute", compute());
            co_await here.yield();
            co_await group.join();  // its tasks have ended: no wait
        },
        [](World& world) {
            const SchedulerStatistics& statistics = world.schedulers[0].statistics();
            const WaitStatistics& io = waits_of(statistics, WaitType::io_completion);
            CHECK(io.count == 1);
            CHECK(io.wait_ns == 2 * kNsPerMs);
            const WaitStatistics& page = waits_of(statistics, WaitType::pageiolatch_sh);
            CHECK(page.count == 2);
            CHECK(page.wait_ns == 4 * kNsPerMs);
            CHECK(page.wait_max_ns == 2 * kNsPerMs);
            CHECK(page.signal_wait_ns == 0);
            CHECK(waits_of(statistics, WaitType::sleep_task).wait_ns == kNsPerMs);
            const WaitStatistics& event = waits_of(statistics, WaitType::checkpoint_queue);
            CHECK(event.count == 1);
            CHECK(event.wait_ns == 3 * kNsPerMs);
            const WaitStatistics& yield = waits_of(statistics, WaitType::sos_scheduler_yield);
            CHECK(statistics.yields == 1);
            CHECK(yield.count == 3);  // the yield and the start of two tasks
            CHECK(yield.wait_ns == 5 * kNsPerMs);
            CHECK(yield.signal_wait_ns == 5 * kNsPerMs);
            CHECK(waits_of(statistics, WaitType::task_join).count == 0);

            std::uint64_t count = 0;
            for (const WaitStatistics& wait : statistics.waits) count += wait.count;
            CHECK(count == statistics.switches);
            CHECK(statistics.io_requests == 3);
            CHECK(statistics.idle_ns == (3 * 2 + 1 + 3) * kNsPerMs);  // all but the computing
        });
}

TEST_CASE("the time from another scheduler's wake-up until the task runs is signal wait") {
    VirtualClock clock;
    run_with_clock(
        clock, RunOptions{.cpu_count = 2},
        [&](World& world) -> Task<void> {
            const std::uint64_t start_ns = clock.now_ns();
            Latch latch;
            co_await latch.acquire(LatchMode::exclusive, WaitType::pagelatch_ex);
            auto take = [&]() -> Task<void> {
                co_await latch.acquire(LatchMode::exclusive, WaitType::pagelatch_ex);
                latch.release(LatchMode::exclusive);
            };
            TaskGroup group;
            world.schedulers[1].spawn(group, "take", take());
            co_await sleep_until(start_ns + 10 * kNsPerMs);
            latch.release(LatchMode::exclusive);
            clock.advance_to(clock.now_ns() + kNsPerMs);  // both CPUs are busy for a while
            co_await group.join();
        },
        [](World& world) {
            const WaitStatistics& wait = waits_of(world.schedulers[1].statistics(), WaitType::pagelatch_ex);
            CHECK(wait.count == 1);
            CHECK(wait.wait_ns == 11 * kNsPerMs);
            CHECK(wait.signal_wait_ns == kNsPerMs);
            CHECK(world.schedulers[1].statistics().wakeups_from_others == 2);  // the start and the latch
            CHECK(world.schedulers[0].statistics().wakeups_from_others == 2);  // the start of Main and the join
        });
}

TEST_CASE("with a real clock, busy and idle time add up to the duration of the run") {
    std::uint64_t run_ns = 0;
    run_real(
        RunOptions{.delay = fixed_delay(5 * kNsPerMs)},
        [&](World& world) -> Task<void> {
            const std::uint64_t start_ns = world.clock.now_ns();
            IoRequest request = read_of(8192);
            for (int i = 0; i < 6; ++i) co_await Scheduler::current().io(request);
            for (int i = 0; i < 6; ++i) co_await sleep_until(world.clock.now_ns() + 2 * kNsPerMs);
            run_ns = world.clock.now_ns() - start_ns;
        },
        [&](World& world) {
            const SchedulerStatistics& statistics = world.schedulers[0].statistics();
            CHECK(run_ns >= 42 * kNsPerMs);
            CHECK(statistics.idle_ns >= 30 * kNsPerMs);
            CHECK(waits_of(statistics, WaitType::io_completion).wait_ns >= 30 * kNsPerMs);
            CHECK(waits_of(statistics, WaitType::sleep_task).wait_ns >= 12 * kNsPerMs);
            std::uint64_t count = 0;
            std::uint64_t wait_ns = 0;
            for (const WaitStatistics& wait : statistics.waits) {
                count += wait.count;
                wait_ns += wait.wait_ns;
                CHECK(wait.signal_wait_ns <= wait.wait_ns);
                CHECK(wait.wait_max_ns <= wait.wait_ns);
            }
            CHECK(count == statistics.switches);
            CHECK(wait_ns <= 2 * run_ns);
        });
}

TEST_CASE("a task has a current scheduler, a plain thread has none") {
    CHECK(Scheduler::current_or_null() == nullptr);
    Scheduler* inside = nullptr;
    Scheduler* expected = nullptr;
    run_virtual(RunOptions{.cpu_count = 2}, [&](World& world) -> Task<void> {
        expected = &world.schedulers[0];
        inside = Scheduler::current_or_null();
        co_return;
    });
    CHECK(inside != nullptr);
    CHECK(inside == expected);
    CHECK(Scheduler::current_or_null() == nullptr);
    CHECK(testing::aborts([] { static_cast<void>(Scheduler::current()); }));
}

// Reads of a file in memory by several tasks, 20 each.
Task<void> read_from_memory(World& world, std::uint32_t tasks, std::uint64_t size_bytes) {
    auto work = [](std::uint64_t size) -> Task<void> {
        for (int i = 0; i < 20; ++i) {
            IoRequest request = read_of(size);
            request.file.is_in_memory = true;
            co_await Scheduler::current().io(request);
        }
    };
    TaskGroup group;
    for (std::uint32_t i = 0; i < tasks; ++i) world.schedulers[0].spawn(group, "reader", work(size_bytes));
    co_await group.join();
}

TEST_CASE("if there is nothing else to do, a request is started by the sleep that waits for it") {
    run_real(
        {.delay = fixed_delay(kNsPerMs)},
        [](World&) -> Task<void> {
            for (int i = 0; i < 10; ++i) {
                IoRequest request = read_of(8192);
                co_await Scheduler::current().io(request);
            }
        },
        [](World& world) {
            CHECK(world.storage.engine(0).waits() >= 10);
            CHECK(world.storage.engine(0).polls() < 20);  // one for each completion, and a few for sleeps that ended early
        });
}

TEST_CASE("transfers of a file in memory are made immediately") {
    run_real(
        {}, [](World& world) { return read_from_memory(world, 32, 8192); },
        [](World& world) {
            CHECK(world.storage.engine(0).copies() == 32 * 20);
            CHECK(world.storage.engine(0).submits() == 0);
        });
}

}  // namespace
}  // namespace ums
