#include "sim/workers/key_sort.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/scheduler_run.hpp"
#include "tests/support/seed.hpp"
#include "ums/base/prng.hpp"
#include "ums/sched/task_group.hpp"

namespace {

std::vector<std::uint64_t> random_keys(std::size_t count, std::uint64_t below, std::uint64_t seed) {
    ums::Prng prng(seed);
    std::vector<std::uint64_t> keys(count);
    for (std::uint64_t& key : keys) key = prng.below(below);
    return keys;
}

}  // namespace

TEST_CASE("keys are sorted, however many there are") {
    const std::uint64_t seed = ums::testing::test_seed("sorted keys");
    for (const std::size_t count : {0U, 1U, 2U, 4095U, 4096U, 4097U, 8192U, 8193U, 12'289U, 100'000U}) {
        for (const std::uint64_t below : {std::uint64_t{7}, ~std::uint64_t{0}}) {  // many of them equal, or hardly any
            INFO(count << " keys below " << below);
            std::vector<std::uint64_t> keys = random_keys(count, below, seed + count);
            std::vector<std::uint64_t> expected = keys;
            std::sort(expected.begin(), expected.end());
            ums::testing::run_virtual({}, [&keys](ums::testing::World&) -> ums::Task<void> { co_await sim::sort_keys(keys); });
            CHECK(keys == expected);
        }
    }
}

TEST_CASE("while the pages of a checkpoint are sorted others run: millions take long, and the log must not wait") {
    std::vector<std::uint64_t> keys = random_keys(100'000, ~std::uint64_t{0}, 1);
    std::uint32_t turns = 0;
    // Tasks yield wherever they may.
    ums::testing::run_virtual({.shuffle_seed = 1}, [&keys, &turns](ums::testing::World&) -> ums::Task<void> {
        bool is_over = false;
        auto count_turns = [](const bool& is_ended, std::uint32_t& count) -> ums::Task<void> {
            for (; !is_ended; ++count) co_await ums::Scheduler::current().yield();
        };
        ums::TaskGroup tasks;
        ums::Scheduler::current().fork(tasks, count_turns(is_over, turns));
        co_await sim::sort_keys(keys);
        is_over = true;
        co_await tasks.join();
    });
    CHECK(turns > 20);
}
