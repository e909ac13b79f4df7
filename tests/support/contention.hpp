// Many tasks on several schedulers that contend for one object.
#pragma once

#include <atomic>
#include <cstdint>

#include "tests/support/catch.hpp"
#include "tests/support/scheduler_run.hpp"
#include "ums/base/prng.hpp"

namespace ums::testing {

struct ContentionOptions {
    std::uint32_t cpu_count = 4;
    std::uint32_t tasks = 8;
    int rounds = 300;  // of each task
    std::uint64_t seed = 0;
};

// Every task awaits `round(Prng&)`, a Task<void>, repeatedly. Checks that all tasks finish, and that no wake-up was lost: no wait may end
// by its timeout.
template <typename Round>
void run_contended(const ContentionOptions& options, Round&& round) {
    std::atomic<int> rounds_done{0};
    run_real(
        RunOptions{.cpu_count = options.cpu_count, .sleep_ns_min = 20 * kNsPerSecond},
        [&](World& world) -> Task<void> {
            auto work = [&](std::uint64_t number) -> Task<void> {
                Prng prng(options.seed + number);
                for (int i = 0; i < options.rounds; ++i) {
                    co_await round(prng);
                    rounds_done.fetch_add(1);
                }
            };
            TaskGroup group;
            for (std::uint32_t i = 0; i < options.tasks; ++i) world.schedulers[i % options.cpu_count].spawn(group, "work", work(i));
            co_await group.join();
        },
        [&](World& world) {
            for (std::uint32_t id = 0; id < options.cpu_count; ++id) CHECK(world.storage.engine(id).expired_waits() == 0);
        });
    CHECK(rounds_done == static_cast<int>(options.tasks) * options.rounds);
}

}  // namespace ums::testing
