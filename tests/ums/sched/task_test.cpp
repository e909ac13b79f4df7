#include "ums/sched/task.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/death.hpp"
#include "tests/support/scheduler_run.hpp"

namespace ums {
namespace {

using testing::run_virtual;
using testing::World;

Task<int> add(int a, int b) { co_return a + b; }

Task<int> add_after_a_yield(int a, int b) {
    co_await Scheduler::current().yield();
    co_return a + b;
}

Task<int> fail(bool wait) {
    if (wait) co_await Scheduler::current().yield();
    throw std::runtime_error("no luck");
}

Task<int> nest(int depth, bool wait) {
    if (depth == 0) {
        if (wait) co_await Scheduler::current().yield();
        co_return 0;
    }
    const int below = co_await nest(depth - 1, wait);
    co_return below + 1;
}

// Counts how many of its kind are alive.
struct Counted {
    int* alive;
    explicit Counted(int& counter) : alive(&counter) { ++*alive; }
    Counted(const Counted& other) : alive(other.alive) { ++*alive; }
    Counted(Counted&& other) noexcept : alive(other.alive) { ++*alive; }
    Counted& operator=(const Counted&) = delete;
    ~Counted() { --*alive; }
};

TEST_CASE("a task returns its value to its awaiter, whether it waits or not") {
    int sum = 0;
    run_virtual({}, [&](World&) -> Task<void> {
        sum += co_await add(1, 2);
        sum += co_await add_after_a_yield(10, 20);
        // Several in one expression, some of which suspend: their temporaries must live until its end.
        sum += co_await add(co_await add_after_a_yield(100, 100), co_await add(50, 50));
    });
    CHECK(sum == 333);
}

TEST_CASE("a task's value may be move-only") {
    int value = 0;
    run_virtual({}, [&](World&) -> Task<void> {
        auto make = [](int content) -> Task<std::unique_ptr<int>> {
            auto result = std::make_unique<int>(content);
            co_await Scheduler::current().yield();
            co_return result;
        };
        const std::unique_ptr<int> made = co_await make(7);
        value = *made;
    });
    CHECK(value == 7);
}

TEST_CASE("an exception passes from a task to its awaiter through several levels, whether tasks wait or not") {
    std::vector<std::string> caught;
    run_virtual({}, [&](World&) -> Task<void> {
        auto between = [](bool wait) -> Task<int> { co_return co_await fail(wait) + 1; };
        for (const bool wait : {false, true}) {
            try {
                co_await between(wait);
            } catch (const std::runtime_error& error) {
                caught.emplace_back(error.what());
            }
            // The task goes on as before.
            co_await Scheduler::current().yield();
        }
    });
    CHECK(caught == std::vector<std::string>{"no luck", "no luck"});
}

TEST_CASE("arguments, locals and temporaries of tasks are destroyed exactly once") {
    int alive = 0;
    run_virtual({}, [&](World&) -> Task<void> {
        auto take = [](Counted by_value, const Counted& by_reference, std::string text) -> Task<std::size_t> {
            const Counted local(by_reference);
            co_await Scheduler::current().yield();
            co_return text.size() + (by_value.alive == local.alive ? 1U : 0U);
        };
        auto take_and_fail = [](Counted) -> Task<void> {
            co_await Scheduler::current().yield();
            throw std::runtime_error("after a wait");
        };
        const std::size_t size = co_await take(Counted(alive), Counted(alive), std::string(100, 'x'));
        UMS_ASSERT(size == 101);
        UMS_ASSERT(alive == 0);
        try {
            co_await take_and_fail(Counted(alive));
        } catch (const std::runtime_error&) {
        }
        UMS_ASSERT(alive == 0);
        // Never awaited: its arguments are destroyed, its body does not run.
        { const Task<void> unused = take_and_fail(Counted(alive)); }
    });
    CHECK(alive == 0);
}

TEST_CASE("a task awaits a million children that do not wait, with bounded stack use") {
    std::uint64_t sum = 0;
    run_virtual({}, [&](World&) -> Task<void> {
        for (int i = 0; i < 1'000'000; ++i) sum += static_cast<std::uint64_t>(co_await add(i, 1));
    });
    CHECK(sum == 500'000'500'000ULL);
}

TEST_CASE("a task awaits a hundred thousand children that wait, with bounded stack use") {
    std::uint64_t sum = 0;
    run_virtual({}, [&](World&) -> Task<void> {
        for (int i = 0; i < 100'000; ++i) sum += static_cast<std::uint64_t>(co_await add_after_a_yield(i, 1));
    });
    CHECK(sum == 5'000'050'000ULL);
}

TEST_CASE("children nest a hundred deep, whether the innermost waits or not") {
    std::vector<int> depths;
    run_virtual({}, [&](World&) -> Task<void> {
        depths.push_back(co_await nest(100, false));
        depths.push_back(co_await nest(100, true));
        for (int i = 0; i < 1000; ++i) co_await nest(100, true);
    });
    CHECK(depths == std::vector{100, 100});
}

TEST_CASE("children nest a hundred deep, and every level waits on its way up") {
    struct Waits {
        static Task<int> at_every_level(int depth) {
            if (depth == 0) co_return 0;
            const int below = co_await at_every_level(depth - 1);
            co_await Scheduler::current().yield();
            co_return below + 1;
        }
    };
    int depth = 0;
    run_virtual({}, [&](World&) -> Task<void> { depth = co_await Waits::at_every_level(100); });
    CHECK(depth == 100);
}

TEST_CASE("awaiting a task twice is an internal error") {
    CHECK(testing::aborts([] {
        run_virtual({}, [](World&) -> Task<void> {
            const Task<int> task = add(1, 2);
            co_await task;
            co_await task;
        });
    }));
}

}  // namespace
}  // namespace ums
