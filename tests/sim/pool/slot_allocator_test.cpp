#include "sim/pool/slot_allocator.hpp"

#include <algorithm>
#include <atomic>
#include <set>

#include "tests/sim/support/virtual_world.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/death.hpp"
#include "tests/support/seed.hpp"
#include "ums/io/posix_storage.hpp"

using sim::Slot;
using sim::SlotAllocator;
using sim::testing::VirtualWorld;

namespace {

bool is_one_run(const std::vector<Slot>& slots) {
    for (std::size_t i = 1; i < slots.size(); ++i) {
        if (slots[i] != slots[i - 1] + 1) return false;
    }
    return true;
}

}  // namespace

TEST_CASE("slots come in whole groups of 64, at least one, and each is a separate page of memory") {
    CHECK(SlotAllocator(1).count() == 64);
    CHECK(SlotAllocator(127).count() == 64);
    CHECK(SlotAllocator(1024).count() == 1024);
    SlotAllocator slots(128);
    std::vector<Slot> all;
    REQUIRE(slots.try_acquire(128, all));
    CHECK(std::set<Slot>(all.begin(), all.end()).size() == 128);
    for (const Slot slot : all) *slots.data(slot) = static_cast<std::byte>(slot);
    for (const Slot slot : all) {
        CHECK(*slots.data(slot) == static_cast<std::byte>(slot));
        CHECK(reinterpret_cast<std::uintptr_t>(slots.data(slot)) % 4096 == 0);
    }
    CHECK(slots.data(all[1]) - slots.data(all[0]) == sim::kPageBytes);
    slots.release(all);
    CHECK(slots.free_count() == 128);
}

TEST_CASE("a long run is contiguous as long as there are whole groups") {
    SlotAllocator slots(1024);
    std::vector<std::vector<Slot>> runs(16);
    for (auto& run : runs) {
        REQUIRE(slots.try_acquire(64, run));
        CHECK(is_one_run(run));
    }
    // Returned out of order, and taken again.
    for (const std::size_t i : {3U, 15U, 0U, 8U}) slots.release(runs[i]);
    for (const std::size_t i : {3U, 15U, 0U, 8U}) {
        runs[i].clear();
        REQUIRE(slots.try_acquire(64, runs[i]));
        CHECK(is_one_run(runs[i]));
    }
    for (const auto& run : runs) slots.release(run);
}

TEST_CASE("single slots break up no more groups than they need") {
    SlotAllocator slots(1024);
    std::vector<Slot> singles;
    for (int i = 0; i < 60; ++i) REQUIRE(slots.try_acquire(1, singles));
    std::set<Slot> groups;
    for (const Slot slot : singles) groups.insert(slot / 64);
    CHECK(groups.size() == 1);
    std::vector<Slot> rest;
    for (int i = 0; i < 15; ++i) {
        std::vector<Slot> run;
        REQUIRE(slots.try_acquire(64, run));
        CHECK(is_one_run(run));
        rest.insert(rest.end(), run.begin(), run.end());
    }
    slots.release(rest);
    slots.release(singles);
}

TEST_CASE("without whole groups a long run is assembled from what is free") {
    SlotAllocator slots(256);
    std::vector<Slot> all;
    REQUIRE(slots.try_acquire(256, all));
    std::vector<Slot> freed;
    for (const Slot slot : all) {
        if (slot % 3 == 0) freed.push_back(slot);
    }
    slots.release(freed);
    std::vector<Slot> run;
    REQUIRE(slots.try_acquire(64, run));
    CHECK(std::set<Slot>(run.begin(), run.end()).size() == 64);
    CHECK(std::includes(freed.begin(), freed.end(), run.begin(), run.end()) == std::is_sorted(run.begin(), run.end()));
    slots.release(run);
    for (const Slot slot : all) {
        if (slot % 3 != 0) slots.release(slot);
    }
    CHECK(slots.free_count() == 256);
}

TEST_CASE("a task that needs many slots waits until it can have all of them together") {
    std::vector<int> order;
    VirtualWorld world;
    world.run([&](VirtualWorld&) -> ums::Task<void> {
        SlotAllocator slots(64);
        std::vector<Slot> held;
        CHECK(slots.try_acquire(60, held));
        std::vector<Slot> many;
        CHECK_FALSE(slots.try_acquire(5, many));
        CHECK(many.empty());
        auto taker = [](SlotAllocator& shared, std::uint32_t count, std::vector<int>& sequence, int number) -> ums::Task<void> {
            std::vector<Slot> mine;
            co_await shared.acquire(count, mine);
            sequence.push_back(number);
            CHECK(mine.size() == count);
            shared.release(mine);
        };
        ums::TaskGroup group;
        ums::Scheduler::current().fork(group, taker(slots, 30, order, 1));
        ums::Scheduler::current().fork(group, taker(slots, 1, order, 2));
        for (int i = 0; i < 3; ++i) co_await ums::Scheduler::current().yield();
        CHECK(order.empty());
        CHECK(slots.has_waiters());
        std::vector<Slot> one;
        CHECK_FALSE(slots.try_acquire(1, one));  // does not overtake waiting tasks
        while (held.size() > 31) {
            slots.release(held.back());
            held.pop_back();
        }
        for (int i = 0; i < 3; ++i) co_await ums::Scheduler::current().yield();
        CHECK(order == std::vector<int>{1, 2});
        co_await group.join();
        slots.release(held);
        CHECK(slots.free_count() == 64);
        CHECK_FALSE(slots.has_waiters());
    });
}

TEST_CASE("no slot is handed out twice while tasks on several schedulers take and return slots") {
    const std::uint64_t seed = ums::testing::test_seed("no slot is handed out twice");
    constexpr std::uint32_t kSlots = 512;
    std::vector<std::atomic<int>> owners(kSlots);
    std::atomic<int> doubles{0};
    ums::RealClock clock;
    ums::PosixStorage storage;
    ums::SchedulerGroupOptions options;
    options.cpu_count = 4;
    ums::SchedulerGroup group(options, storage, clock);
    SlotAllocator slots(kSlots);
    auto user = [](SlotAllocator& shared, std::vector<std::atomic<int>>& owner, std::atomic<int>& wrong,
                   std::uint64_t user_seed) -> ums::Task<void> {
        ums::Prng prng(user_seed);
        for (int i = 0; i < 300; ++i) {
            std::vector<Slot> mine;
            const auto count = static_cast<std::uint32_t>(prng.chance(3000) ? prng.between(32, 128) : prng.between(1, 8));
            if (prng.chance(7000)) {
                co_await shared.acquire(count, mine);
            } else if (!shared.try_acquire(count, mine)) {
                if (!mine.empty()) ++wrong;
                continue;
            }
            if (mine.size() != count) ++wrong;
            for (const Slot slot : mine) {
                if (owner[slot].exchange(1) != 0) ++wrong;
            }
            if (prng.chance(5000)) co_await ums::Scheduler::current().yield();
            for (const Slot slot : mine) owner[slot].store(0);
            if (prng.chance(5000)) {
                shared.release(mine);
            } else {
                for (const Slot slot : mine) shared.release(slot);
            }
        }
    };
    auto main = [&]() -> ums::Task<void> {
        ums::TaskGroup users;
        for (std::uint32_t i = 0; i < 32; ++i) group[i % 4].spawn(users, "User", user(slots, owners, doubles, seed + i));
        co_await users.join();
    };
    group.run(main());
    CHECK(doubles == 0);
    CHECK(slots.free_count() == kSlots);
    // The lists have survived, too: every slot can be taken once.
    std::vector<Slot> all;
    CHECK(slots.try_acquire(kSlots, all));
    CHECK(std::set<Slot>(all.begin(), all.end()).size() == kSlots);
}

TEST_CASE("a slot that is free must not be returned") {
    SlotAllocator slots(64);
    std::vector<Slot> mine;
    REQUIRE(slots.try_acquire(1, mine));
    slots.release(mine);
    CHECK(ums::testing::aborts([&] { slots.release(mine[0]); }));
}
