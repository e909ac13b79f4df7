#include "sim/pool/buffer_pool.hpp"

#include <algorithm>
#include <atomic>
#include <map>

#include "tests/support/catch.hpp"
#include "tests/support/death.hpp"
#include "tests/support/seed.hpp"
#include "ums/io/posix_storage.hpp"
#include "ums/sched/scheduler_group.hpp"

using sim::BufferPool;
using sim::Frame;
using sim::PageKey;
using ums::LatchMode;

namespace {

constexpr std::uint64_t kPoolBytes = 64 * sim::kPageBytes;

// Inserts a page with memory into the pool, as the buffer manager does; afterwards it is clean and not pinned.
Frame& put(BufferPool& pool, PageKey key) {
    std::vector<sim::Slot> slots;
    REQUIRE(pool.slots().try_acquire(1, slots));
    bool inserted = false;
    Frame& frame = pool.find_or_insert(key, inserted);
    REQUIRE(inserted);
    frame.slot = slots[0];
    frame.latch.release(LatchMode::exclusive);
    pool.unpin(frame);
    return frame;
}

bool contains(BufferPool& pool, PageKey key) {
    Frame* const frame = pool.find(key);
    if (frame != nullptr) pool.unpin(*frame);
    return frame != nullptr;
}

// Moves the clock hand once around the pool.
std::map<BufferPool::Sweep, int> sweep_all(BufferPool& pool, std::vector<PageKey>* dirty = nullptr) {
    std::map<BufferPool::Sweep, int> results;
    for (std::uint32_t number = 0; number < pool.frame_count(); ++number) {
        PageKey key;
        const BufferPool::Sweep result = pool.sweep(key);
        ++results[result];
        if (result == BufferPool::Sweep::dirty && dirty != nullptr) dirty->push_back(key);
    }
    return results;
}

}  // namespace

TEST_CASE("an inserted page is found, with its memory, until it is removed") {
    BufferPool pool(kPoolBytes, 16);
    CHECK_FALSE(contains(pool, {1, 5}));
    Frame& frame = put(pool, {1, 5});
    Frame* const found = pool.find({1, 5});
    REQUIRE(found == &frame);
    CHECK(pool.data(*found) == pool.slots().data(frame.slot));
    CHECK(found->key == PageKey{1, 5});
    pool.unpin(*found);
    CHECK_FALSE(contains(pool, {1, 6}));
    CHECK_FALSE(contains(pool, {2, 5}));
    pool.evict({1, 5});
    CHECK_FALSE(contains(pool, {1, 5}));
    CHECK(pool.slots().free_count() == 64);
}

TEST_CASE("a page is inserted once: the second task gets the same frame, latched by the first") {
    BufferPool pool(kPoolBytes, 16);
    bool inserted = false;
    Frame& first = pool.find_or_insert({1, 5}, inserted);
    CHECK(inserted);
    CHECK_FALSE(first.latch.try_acquire(LatchMode::shared));
    Frame& second = pool.find_or_insert({1, 5}, inserted);
    CHECK_FALSE(inserted);
    CHECK(&first == &second);
    pool.discard(first);
    first.latch.release(LatchMode::exclusive);
    pool.unpin(first);
    CHECK_FALSE(second.in_table());
    pool.unpin(second);
}

TEST_CASE("a new frame starts out clean, whatever it was before") {
    BufferPool pool(kPoolBytes, 0);
    for (std::uint32_t page = 0; page < 64; ++page) {
        Frame& frame = put(pool, {1, page});
        frame.version = 7;
        frame.lsn = 8;
    }
    for (std::uint32_t page = 0; page < 64; ++page) pool.evict({1, page});
    for (std::uint32_t page = 100; page < 164; ++page) {
        const Frame& frame = put(pool, {1, page});
        CHECK(frame.version == 0);
        CHECK(frame.lsn == 0);
        CHECK_FALSE(frame.dirty);
    }
}

TEST_CASE("pinned pages and dirty pages stay, until they are neither") {
    BufferPool pool(kPoolBytes, 16);
    put(pool, {1, 1});
    Frame* const pinned = pool.find({1, 1});
    Frame& dirty = put(pool, {1, 2});
    dirty.dirty = true;
    for (int round = 0; round < 3; ++round) {
        pool.evict({1, 1});
        pool.evict({1, 2});
        sweep_all(pool);
    }
    CHECK(contains(pool, {1, 1}));
    CHECK(contains(pool, {1, 2}));
    pool.unpin(*pinned);
    dirty.dirty = false;
    pool.evict({1, 1});
    pool.evict({1, 2});
    CHECK_FALSE(contains(pool, {1, 1}));
    CHECK_FALSE(contains(pool, {1, 2}));
}

TEST_CASE("the clock hand spares a used page once, reports dirty pages, and evicts the rest") {
    BufferPool pool(kPoolBytes, 16);
    put(pool, {1, 1});
    put(pool, {1, 2}).dirty = true;
    put(pool, {1, 3});
    Frame* const pinned = pool.find({1, 3});
    std::vector<PageKey> dirty;
    auto results = sweep_all(pool, &dirty);
    CHECK(results[BufferPool::Sweep::spared] == 2);
    CHECK(results[BufferPool::Sweep::evicted] == 0);
    CHECK(results[BufferPool::Sweep::nothing] == static_cast<int>(pool.frame_count()) - 2);
    results = sweep_all(pool, &dirty);
    CHECK(results[BufferPool::Sweep::evicted] == 1);
    CHECK(results[BufferPool::Sweep::dirty] == 1);
    CHECK(dirty == std::vector<PageKey>{{1, 2}});
    CHECK_FALSE(contains(pool, {1, 1}));
    CHECK(contains(pool, {1, 3}));
    CHECK(pool.slots().free_count() == 62);
    pool.unpin(*pinned);
    results = sweep_all(pool);
    CHECK(results[BufferPool::Sweep::spared] == 1);
    results = sweep_all(pool);
    CHECK(results[BufferPool::Sweep::evicted] == 1);
}

TEST_CASE("a discarded page is gone immediately, but its frame only when it is no longer pinned") {
    BufferPool pool(kPoolBytes, 1);
    Frame& frame = put(pool, {1, 1});
    Frame* const mine = pool.find({1, 1});
    Frame* const others = pool.find({1, 1});
    REQUIRE(mine->latch.try_acquire(LatchMode::exclusive));
    pool.discard(*mine);
    CHECK(pool.slots().free_count() == 64);
    CHECK_FALSE(contains(pool, {1, 1}));
    mine->latch.release(LatchMode::exclusive);
    pool.unpin(*mine);
    // All other frames can be used while this one is still pinned.
    for (std::uint32_t page = 10; page < 74; ++page) CHECK(&put(pool, {1, page}) != &frame);
    CHECK(others->key == PageKey{1, 1});
    pool.unpin(*others);
    pool.evict({1, 10});
    pool.evict({1, 11});
}

TEST_CASE("all dirty pages are collected, and only those") {
    BufferPool pool(kPoolBytes, 16);
    for (std::uint32_t page = 0; page < 40; ++page) put(pool, {3, page}).dirty = page % 3 == 0;
    std::vector<std::uint64_t> keys;
    pool.collect_dirty(0, pool.frame_count() / 2, keys);
    pool.collect_dirty(pool.frame_count() / 2, pool.frame_count(), keys);
    std::sort(keys.begin(), keys.end());
    REQUIRE(keys.size() == 14);
    for (std::uint32_t i = 0; i < 14; ++i) CHECK(PageKey::unpack(keys[i]) == PageKey{3, 3 * i});
}

TEST_CASE("the pages of a file from a given one on are removed, dirty or not, and no others") {
    BufferPool pool(kPoolBytes, 16);
    for (std::uint32_t page = 0; page < 20; ++page) {
        put(pool, {1, page}).dirty = page % 2 == 0;
        put(pool, {2, page});
    }
    const std::uint32_t half = pool.frame_count() / 2;
    const std::uint64_t dirty_in_first_half = pool.discard_from(1, 12, 0, half);
    CHECK(dirty_in_first_half + pool.discard_from(1, 12, half, pool.frame_count()) == 4);
    for (std::uint32_t page = 0; page < 20; ++page) {
        CHECK(contains(pool, {1, page}) == (page < 12));
        CHECK(contains(pool, {2, page}));
    }
    CHECK(pool.slots().free_count() == 64 - 32);
}

TEST_CASE("page keys are packed and unpacked") {
    for (const PageKey key : {PageKey{0, 0}, PageKey{1, 0xffff'fffe}, PageKey{4095, 7}}) CHECK(PageKey::unpack(key.packed()) == key);
    CHECK(PageKey{1, 0xffff'ffff}.packed() < PageKey{2, 0}.packed());
}

TEST_CASE("a page in use must not be removed with its file") {
    BufferPool pool(kPoolBytes, 16);
    put(pool, {1, 1});
    Frame* const pinned = pool.find({1, 1});
    CHECK(ums::testing::aborts([&] { static_cast<void>(pool.discard_from(1, 0, 0, pool.frame_count())); }));
    pool.unpin(*pinned);
}

TEST_CASE("tasks on several schedulers that insert, use, evict, sweep and discard never share a frame") {
    const std::uint64_t seed = ums::testing::test_seed("never meet in a frame");
    constexpr std::uint32_t kPages = 200;  // three times as many as fit
    ums::RealClock clock;
    ums::PosixStorage storage;
    ums::SchedulerGroupOptions options;
    options.cpu_count = 4;
    ums::SchedulerGroup group(options, storage, clock);
    BufferPool pool(kPoolBytes, 64);
    std::atomic<int> wrong{0};
    std::atomic<int> uses{0};
    // Memory belongs to one page at a time: the task that holds it EX writes the page's number into it and must find it again.
    auto user = [](BufferPool& shared, std::atomic<int>& mistakes, std::atomic<int>& count, std::uint64_t user_seed) -> ums::Task<void> {
        ums::Prng prng(user_seed);
        for (int i = 0; i < 3000; ++i) {
            const PageKey key{1, static_cast<std::uint32_t>(prng.below(kPages))};
            const std::uint64_t what = prng.below(10);
            PageKey ignored;
            if (what == 0) {
                shared.evict(key);
                continue;
            }
            if (what <= 2) {
                for (int k = 0; k < 16; ++k) shared.sweep(ignored);
                continue;
            }
            std::vector<sim::Slot> spare;
            if (!shared.slots().try_acquire(1, spare)) {
                co_await ums::Scheduler::current().yield();
                continue;
            }
            bool inserted = false;
            Frame& frame = shared.find_or_insert(key, inserted);
            if (inserted) {
                frame.slot = spare.back();
                spare.pop_back();
                *reinterpret_cast<std::uint64_t*>(shared.data(frame)) = key.packed();
            } else {
                co_await frame.latch.acquire(LatchMode::exclusive, ums::WaitType::pagelatch_ex);
            }
            if (frame.in_table()) {
                if (!(frame.key == key) || *reinterpret_cast<std::uint64_t*>(shared.data(frame)) != key.packed()) ++mistakes;
                ++count;
                if (prng.chance(3000)) co_await ums::Scheduler::current().yield();
                if (prng.chance(2000)) shared.discard(frame);
            }
            frame.latch.release(LatchMode::exclusive);
            shared.unpin(frame);
            shared.slots().release(spare);
        }
    };
    auto main = [&]() -> ums::Task<void> {
        ums::TaskGroup users;
        for (std::uint32_t i = 0; i < 24; ++i) group[i % 4].spawn(users, "User", user(pool, wrong, uses, seed + i));
        co_await users.join();
    };
    group.run(main());
    CHECK(wrong == 0);
    CHECK(uses > 1000);
    for (std::uint32_t page = 0; page < kPages; ++page) pool.evict({1, page});
    CHECK(pool.slots().free_count() == pool.slots().count());
}
