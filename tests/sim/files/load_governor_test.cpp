#include "sim/files/load_governor.hpp"

#include <algorithm>
#include <deque>
#include <numeric>
#include <vector>

#include "tests/sim/support/virtual_world.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/death.hpp"
#include "tests/support/seed.hpp"

using sim::LoadGovernor;
using sim::testing::VirtualWorld;

namespace {

// Takes a block without waiting.
bool take(LoadGovernor& governor) { return governor.acquire().await_ready(); }

void take_all(LoadGovernor& governor, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) REQUIRE(take(governor));
}

// The rule of KB 231619 and the pace of new blocks once more, written as plainly as possible.
struct Model {
    double target_us;
    std::uint32_t blocks_max;
    double average_us = target_us;
    std::uint32_t blocks = 0;
    std::uint32_t busy = 0;
    std::uint64_t throttles = 0;
    bool bursts = false;
    bool was_above = false;
    std::uint32_t in_time = 0;

    bool take() {
        if (busy < blocks) {
            busy += 1;
            return true;
        }
        if (blocks == blocks_max) return false;
        if (blocks > 0 && !bursts) {
            if (average_us > target_us) return false;
            if (was_above && in_time < blocks / 4) return false;
        }
        in_time = 0;
        blocks += 1;
        busy += 1;
        return true;
    }

    void complete(double duration_us) {
        average_us = (average_us * (blocks - 1) + duration_us) / blocks;
        busy -= 1;
        if (bursts || average_us <= target_us) {
            in_time += 1;
            return;
        }
        in_time = 0;
        was_above = true;
        throttles += 1;
        if (blocks > 1) blocks -= 1;
    }
};

}  // namespace

TEST_CASE("the average starts at the target and follows the rule step by step") {
    LoadGovernor governor(100'000, 1000);
    CHECK(governor.average_us() == 100'000);
    CHECK(governor.blocks() == 0);
    take_all(governor, 4);
    CHECK(governor.blocks() == 4);
    governor.complete(20'000);  // (100000 * 3 + 20000) / 4
    CHECK(governor.average_us() == 80'000);
    governor.complete(60'000);  // (80000 * 3 + 60000) / 4
    CHECK(governor.average_us() == 75'000);
    CHECK(governor.blocks() == 4);
    CHECK(governor.throttle_count() == 0);
    governor.complete(475'000);  // (75000 * 3 + 475000) / 4 = 175000: above the target, the block is discarded
    CHECK(governor.average_us() == 175'000);
    CHECK(governor.blocks() == 3);
    CHECK(governor.throttle_count() == 1);
    governor.complete(100'000);  // (175000 * 2 + 100000) / 3, with the remaining blocks
    CHECK(governor.average_us() == 150'000);
    CHECK(governor.blocks() == 2);
    CHECK(governor.throttle_count() == 2);
}

TEST_CASE("an average at the target is not above it") {
    LoadGovernor governor(1000, 10);
    take_all(governor, 2);
    governor.complete(1000);
    CHECK(governor.throttle_count() == 0);
    CHECK(governor.blocks() == 2);
    take_all(governor, 2);
    CHECK(governor.blocks() == 3);
    for (int i = 0; i < 3; ++i) governor.complete(1);
}

TEST_CASE("the last block is never discarded and can be used again, but each time counts as throttling") {
    LoadGovernor governor(1000, 10);
    for (int i = 0; i < 5; ++i) {
        REQUIRE(take(governor));
        governor.complete(50'000);
        CHECK(governor.blocks() == 1);
        CHECK(governor.average_us() == 50'000);  // with one block the average is the last duration
    }
    CHECK(governor.throttle_count() == 5);
}

TEST_CASE("blocks are created on demand, only below the target and up to the maximum") {
    LoadGovernor governor(1000, 5);
    take_all(governor, 5);
    CHECK_FALSE(take(governor));
    CHECK(governor.blocks() == 5);
    governor.complete(1);
    CHECK(take(governor));  // the free one, not a new one
    CHECK(governor.blocks() == 5);
    governor.complete(1'000'000);
    CHECK(governor.average_us() > 1000);
    CHECK(governor.blocks() == 4);
    CHECK_FALSE(take(governor));  // above the target none is created
    for (int i = 0; i < 4; ++i) governor.complete(1'000'000);
    CHECK(governor.blocks() == 1);
    CHECK(governor.throttle_count() == 5);
}

TEST_CASE("the block statistics are mean, minimum and maximum of what completions found while they were observed") {
    LoadGovernor governor(1000, 10);
    take_all(governor, 8);
    governor.complete(1);
    CHECK(governor.block_statistics() == sim::RequestBlockStatistics{});
    governor.observe_blocks(true);
    governor.complete(1);          // finds 8
    governor.complete(1'000'000);  // finds 8, leaves 7
    governor.complete(1'000'000);  // 7
    governor.complete(1'000'000);  // 6
    governor.observe_blocks(false);
    governor.complete(1'000'000);
    CHECK(governor.block_statistics() == sim::RequestBlockStatistics{29.0 / 4, 6, 8});
    for (int i = 0; i < 2; ++i) governor.complete(1);
}

TEST_CASE("bursts neither throttle nor limit, but the maximum applies and the average continues") {
    LoadGovernor governor(1000, 6);
    governor.allow_bursts(true);
    take_all(governor, 4);
    governor.complete(100'000);
    CHECK(governor.average_us() == (1000 * 3 + 100'000) / 4);
    CHECK(governor.blocks() == 4);
    CHECK(governor.throttle_count() == 0);
    take_all(governor, 3);
    CHECK(governor.blocks() == 6);
    CHECK_FALSE(take(governor));
    governor.allow_bursts(false);
    governor.complete(100'000);
    CHECK(governor.blocks() == 5);
    CHECK(governor.throttle_count() == 1);
    for (int i = 0; i < 5; ++i) governor.complete(1);
}

TEST_CASE("any sequence of durations gives the result of the plain rule") {
    const std::uint64_t seed = ums::testing::test_seed("any history of durations");
    ums::Prng prng(seed);
    for (int round = 0; round < 50; ++round) {
        const std::uint64_t target_us = prng.between(1, 200'000);
        const auto blocks_max = static_cast<std::uint32_t>(prng.between(1, 60));
        LoadGovernor governor(target_us, blocks_max);
        Model model{static_cast<double>(target_us), blocks_max};
        for (int step = 0; step < 400; ++step) {
            if (prng.chance(200)) {
                model.bursts = !model.bursts;
                governor.allow_bursts(model.bursts);
            }
            if (model.busy == 0 || prng.chance(5200)) {
                REQUIRE(take(governor) == model.take());
            } else {
                const std::uint64_t most_us = prng.chance(500) ? 50 * target_us : 2 * target_us;
                const auto duration_us = static_cast<double>(prng.below(most_us + 1));
                governor.complete(duration_us);
                model.complete(duration_us);
            }
            REQUIRE(governor.average_us() == static_cast<std::uint64_t>(model.average_us));
            REQUIRE(governor.blocks() == model.blocks);
            REQUIRE(governor.throttle_count() == model.throttles);
        }
        while (model.busy > 0) {
            governor.complete(0);
            model.complete(0);
        }
    }
}

TEST_CASE("tasks that wait for a block get it in turn, and none overtakes") {
    std::vector<int> order;
    bool overtaken = false;
    VirtualWorld world;
    world.run([&](VirtualWorld&) -> ums::Task<void> {
        LoadGovernor governor(1000, 1);
        ums::TaskGroup group;
        auto worker = [](LoadGovernor& shared, std::vector<int>& sequence, int number) -> ums::Task<void> {
            co_await shared.acquire();
            sequence.push_back(number);
            co_await ums::sleep_until(ums::Scheduler::current().now_ns() + 1000);
            shared.complete(1);
        };
        for (int i = 0; i < 10; ++i) ums::Scheduler::current().fork(group, worker(governor, order, i));
        co_await ums::sleep_until(ums::Scheduler::current().now_ns() + 3500);
        overtaken = take(governor);
        co_await group.join();
    });
    CHECK_FALSE(overtaken);
    CHECK(order == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEST_CASE("waiting tasks are woken as the average falls to the target, one new block per completion") {
    std::vector<std::uint32_t> running_seen;
    std::uint32_t finished = 0;
    VirtualWorld world;
    world.run([&](VirtualWorld&) -> ums::Task<void> {
        LoadGovernor governor(1000, 100);
        std::uint32_t running = 0;
        ums::Semaphore finish(0);
        ums::TaskGroup group;
        auto worker = [](LoadGovernor& shared, std::uint32_t& count, std::uint32_t& done, ums::Semaphore& end) -> ums::Task<void> {
            co_await shared.acquire();
            count += 1;
            co_await end.acquire(1, ums::WaitType::sleep_task);
            count -= 1;
            done += 1;
            shared.complete(10);
        };
        auto look = [&]() -> ums::Task<void> {
            for (int i = 0; i < 3; ++i) co_await ums::Scheduler::current().yield();
            running_seen.push_back(running);
        };
        co_await governor.acquire();
        governor.complete(5000);  // far above the target, with one block
        co_await governor.acquire();
        for (int i = 0; i < 8; ++i) ums::Scheduler::current().fork(group, worker(governor, running, finished, finish));
        co_await look();
        governor.complete(10);
        co_await look();
        finish.release(1);
        co_await look();
        finish.release(2);
        co_await look();
        CHECK(governor.blocks() == 5);
        finish.release(100);
        co_await group.join();
    });
    CHECK(running_seen == std::vector<std::uint32_t>{0, 2, 3, 5});
    CHECK(finished == 8);
}

TEST_CASE("waiting tasks are woken when bursts are allowed") {
    bool was_waiting = false;
    bool got_it = false;
    VirtualWorld world;
    world.run([&](VirtualWorld&) -> ums::Task<void> {
        LoadGovernor governor(1000, 100);
        ums::TaskGroup group;
        auto worker = [](LoadGovernor& shared, bool& done) -> ums::Task<void> {
            co_await shared.acquire();
            done = true;
            shared.complete(1);
        };
        co_await governor.acquire();
        governor.complete(5000);
        co_await governor.acquire();
        ums::Scheduler::current().fork(group, worker(governor, got_it));
        co_await ums::Scheduler::current().yield();
        was_waiting = !got_it;
        governor.allow_bursts(true);
        co_await group.join();
        governor.complete(1);
    });
    CHECK(was_waiting);
    CHECK(got_it);
}

TEST_CASE("a device that slows down under load is kept at the target") {
    // It serves requests one after another, 2 ms each: with n outstanding each takes 2n ms. With 64 tasks that would be 128 ms.
    constexpr std::uint64_t kServiceNs = 2 * ums::kNsPerMs;
    std::vector<std::uint64_t> durations_us;
    std::uint32_t blocks_min = 64;
    std::uint32_t blocks_max = 0;
    VirtualWorld world;
    std::uint64_t free_ns = 0;
    world.storage.set_rule([&](const ums::IoRequest&) {
        const std::uint64_t now_ns = world.clock.now_ns();
        free_ns = std::max(free_ns, now_ns) + kServiceNs;
        return sim::testing::Fate{.delay_ns = free_ns - now_ns};
    });
    world.run([&](VirtualWorld& w) -> ums::Task<void> {
        w.load.target_io_duration_ms = 20;
        const auto file = w.make_file(1, 1 << 20);
        bool has_settled = false;
        bool stop = false;
        ums::TaskGroup group;
        auto reader = [&]() -> ums::Task<void> {
            const ums::IoSegment segment{nullptr, sim::kPageBytes};
            while (!stop) {
                const auto result = co_await file->transfer(ums::IoOperation::read, 0, {&segment, 1}, ums::WaitType::io_completion);
                if (!has_settled) continue;
                durations_us.push_back(result.duration_us);
                blocks_min = std::min(blocks_min, file->governor().blocks());
                blocks_max = std::max(blocks_max, file->governor().blocks());
            }
        };
        for (int i = 0; i < 64; ++i) ums::Scheduler::current().fork(group, reader());
        co_await ums::sleep_until(w.clock.now_ns() + 5 * ums::kNsPerSecond);
        has_settled = true;
        co_await ums::sleep_until(w.clock.now_ns() + 20 * ums::kNsPerSecond);
        stop = true;
        co_await group.join();
        CHECK(file->governor().throttle_count() > 1000);
    });
    REQUIRE(durations_us.size() > 9000);  // it was never idle
    std::sort(durations_us.begin(), durations_us.end());
    const double sum_us = std::accumulate(durations_us.begin(), durations_us.end(), 0.0);
    CHECK(sum_us / static_cast<double>(durations_us.size()) > 17'000);
    CHECK(sum_us / static_cast<double>(durations_us.size()) < 23'000);
    CHECK(durations_us[durations_us.size() * 99 / 100] <= 40'000);
    CHECK(blocks_min >= 1);
    CHECK(blocks_max <= 24);
}

TEST_CASE("a fast device gets as many requests as there are tasks") {
    VirtualWorld world;
    world.set_duration_ns(ums::kNsPerMs);
    world.run([](VirtualWorld& w) -> ums::Task<void> {
        const auto file = w.make_file(1, 1 << 20);
        ums::TaskGroup group;
        auto reader = [](sim::SimFile& shared) -> ums::Task<void> {
            const ums::IoSegment segment{nullptr, sim::kPageBytes};
            for (int i = 0; i < 10; ++i) co_await shared.transfer(ums::IoOperation::read, 0, {&segment, 1}, ums::WaitType::io_completion);
        };
        for (int i = 0; i < 200; ++i) ums::Scheduler::current().fork(group, reader(*file));
        co_await group.join();
        CHECK(file->governor().blocks() == 200);
        CHECK(file->governor().throttle_count() == 0);
        CHECK(file->governor().average_us() < 2000);
    });
}

TEST_CASE("a block that was not taken must not be given back") {
    LoadGovernor governor(1000, 10);
    CHECK(ums::testing::aborts([&] { governor.complete(1); }));
}
