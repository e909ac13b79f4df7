#include "sim/buffer/buffer_manager.hpp"

#include <algorithm>
#include <vector>

#include "tests/sim/support/overlap_watch.hpp"
#include "tests/sim/support/raw_file.hpp"
#include "tests/sim/support/request_log.hpp"
#include "tests/sim/support/rig.hpp"
#include "tests/sim/support/worker_world.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/seed.hpp"
#include "ums/sched/scheduler.hpp"
#include "ums/sched/task_group.hpp"

using sim::BufferManager;
using sim::FindingKind;
using sim::FixedPage;
using sim::FixIntent;
using sim::Frame;
using sim::kPageBytes;
using sim::testing::Fate;
using sim::testing::RequestLog;
using sim::testing::Rig;

namespace {

constexpr std::uint32_t kFilePages = 256;  // 2 MB

// Runs `body(rig, requests, prng)` on a file whose pages [1, 65) have been written once and are not in memory. Nothing may be held at the
// end.
template <typename Body>
void run_fixes(Rig& rig, Body body) {
    RequestLog requests;
    rig.storage.set_observer(&requests);
    ums::Prng prng(1);
    rig.run([&](Rig& r) -> ums::Task<void> {
        co_await r.write_pages(r.data(), 1, 64);
        r.forget_pages(r.data(), 1, 64);
        (void)requests.take(r.data().file);
        const std::uint64_t free_slots = r.pool->slots().free_count();
        co_await body(r, requests, prng);
        r.storage.set_rule(nullptr);
        CHECK(r.data().file.resize_latch().try_acquire_exclusive());
        static_cast<void>(r.pool->discard_from(r.data().file.id(), 0, 0, r.pool->frame_count()));
        r.data().file.resize_latch().release_exclusive();
        CHECK(r.pool->slots().free_count() == free_slots);
    });
}

std::size_t reads(RequestLog& requests, Rig& rig) { return requests.take(rig.data().file).size(); }

}  // namespace

TEST_CASE("a page is read and verified the first time, and then found in memory") {
    Rig rig;
    run_fixes(rig, [](Rig& r, RequestLog& requests, ums::Prng& prng) -> ums::Task<void> {
        const std::uint64_t verified = sim::sum_of(r.data().file.counters(), &sim::FileCounters::pages_verified);
        for (int i = 0; i < 10; ++i) {
            const FixedPage page = co_await r.buffers->fix(r.data(), 5, FixIntent::look, prng);
            REQUIRE(page);
            CHECK(page.frame().key.page_id == 5);
            CHECK(page.frame().version == 1);
        }
        CHECK(reads(requests, r) == 1);
        CHECK(sim::sum_of(r.data().file.counters(), &sim::FileCounters::pages_verified) == verified + 1);
        CHECK(r.data().ledger[5].read_back == 1);
    });
}

TEST_CASE("with a cache hit ratio of 0 a clean page is read every time, into other memory, but a dirty one never") {
    Rig rig({.cache_hit_ratio = 0});
    run_fixes(rig, [](Rig& r, RequestLog& requests, ums::Prng& prng) -> ums::Task<void> {
        sim::Slot before = sim::kNoSlot;
        for (int i = 0; i < 10; ++i) {
            const FixedPage page = co_await r.buffers->fix(r.data(), 5, FixIntent::look, prng);
            REQUIRE(page);
            CHECK(page.frame().slot != before);
            before = page.frame().slot;
        }
        CHECK(reads(requests, r) == 10);
        co_await r.change_page(r.data(), 5, FixIntent::change);
        (void)reads(requests, r);
        for (int i = 0; i < 10; ++i) {
            const FixedPage page = co_await r.buffers->fix(r.data(), 5, FixIntent::look, prng);
            REQUIRE(page);
            CHECK(page.frame().version == 2);
        }
        CHECK(reads(requests, r) == 0);
    });
}

TEST_CASE("a cache hit ratio in between reads the corresponding share") {
    Rig rig({.cache_hit_ratio = 7000});
    run_fixes(rig, [](Rig& r, RequestLog& requests, ums::Prng& prng) -> ums::Task<void> {
        for (int i = 0; i < 1000; ++i) (void)co_await r.buffers->fix(r.data(), 5, FixIntent::look, prng);
        const std::size_t count = reads(requests, r);
        CHECK(count > 200);
        CHECK(count < 400);
    });
}

TEST_CASE("a page that is to be overwritten is not read, and its versions continue from the last one") {
    Rig rig;
    run_fixes(rig, [](Rig& r, RequestLog& requests, ums::Prng& prng) -> ums::Task<void> {
        {
            const FixedPage page = co_await r.buffers->fix(r.data(), 5, FixIntent::overwrite, prng);
            REQUIRE(page);
            CHECK_FALSE(page.frame().dirty);
            CHECK(BufferManager::change(r.data(), page.frame()) == 2);
            CHECK(page.frame().dirty);
        }
        CHECK(reads(requests, r) == 0);
    });
}

TEST_CASE("a run ends cleanly before the versions of a page are used up") {
    Rig rig;
    run_fixes(rig, [](Rig& r, RequestLog&, ums::Prng& prng) -> ums::Task<void> {
        r.data().ledger.restore(70, sim::kVersionEnd - 1, 1, 0, true);
        for (const std::uint32_t version : {sim::kVersionEnd, sim::kVersionEnd + 1}) {
            const FixedPage page = co_await r.buffers->fix(r.data(), 70, FixIntent::overwrite, prng);
            REQUIRE(page);
            CHECK(r.state.is_stopping() == (version > sim::kVersionEnd));
            CHECK(BufferManager::change(r.data(), page.frame()) == version);
        }
        CHECK(r.state.outcome() == sim::Outcome::not_done);
        CHECK_THAT(r.state.reason(), ContainsSubstring("page 70 has been changed 535822335 times"));
    });
}

TEST_CASE("several tasks may read a page at the same time, but a task that changes it is alone") {
    Rig rig;
    run_fixes(rig, [](Rig& r, RequestLog&, ums::Prng& prng) -> ums::Task<void> {
        for (const bool is_present : {false, true}) {
            const FixedPage look = co_await r.buffers->fix(r.data(), 5, FixIntent::look, prng);
            CHECK(look.frame().latch.try_acquire(ums::LatchMode::shared));
            look.frame().latch.release(ums::LatchMode::shared);
            CHECK_FALSE(look.frame().latch.try_acquire(ums::LatchMode::exclusive));
            INFO(is_present);
        }
        for (const FixIntent intent : {FixIntent::change, FixIntent::overwrite}) {
            for (const std::uint32_t number : {5U, intent == FixIntent::change ? 6U : 7U}) {
                const FixedPage page = co_await r.buffers->fix(r.data(), number, intent, prng);
                CHECK_FALSE(page.frame().latch.try_acquire(ums::LatchMode::shared));
            }
        }
    });
}

TEST_CASE("even with a cache hit ratio of 0, a task that reads a page lets others read it") {
    Rig rig({.cache_hit_ratio = 0});
    run_fixes(rig, [](Rig& r, RequestLog&, ums::Prng& prng) -> ums::Task<void> {
        for (int i = 0; i < 2; ++i) {
            const FixedPage look = co_await r.buffers->fix(r.data(), 5, FixIntent::look, prng);
            CHECK(look.frame().latch.try_acquire(ums::LatchMode::shared));
            look.frame().latch.release(ums::LatchMode::shared);
        }
    });
}

TEST_CASE("beyond the end of the file there is no page, and the storage is not asked for one") {
    Rig rig;
    run_fixes(rig, [](Rig& r, RequestLog& requests, ums::Prng& prng) -> ums::Task<void> {
        for (const FixIntent intent : {FixIntent::look, FixIntent::change, FixIntent::overwrite}) {
            const bool is_there = static_cast<bool>(co_await r.buffers->fix(r.data(), kFilePages, intent, prng));
            CHECK_FALSE(is_there);
        }
        CHECK(reads(requests, r) == 0);
        const bool is_there_again = static_cast<bool>(co_await r.buffers->fix(r.data(), kFilePages - 1, FixIntent::look, prng));
        CHECK(is_there_again);
    });
}

TEST_CASE("a page that cannot be read is one finding and not available, but can be read again later") {
    const std::uint32_t cache_hit_ratio = GENERATE(10000U, 0U);  // absent, or present and read again
    Rig rig({.cache_hit_ratio = cache_hit_ratio});
    run_fixes(rig, [&](Rig& r, RequestLog&, ums::Prng& prng) -> ums::Task<void> {
        if (cache_hit_ratio == 0) (void)co_await r.buffers->fix(r.data(), 5, FixIntent::look, prng);
        r.storage.set_rule([](const ums::IoRequest& request) { return Fate{.error = request.offset_bytes == 5 * kPageBytes ? EIO : 0}; });
        const bool is_there_again = static_cast<bool>(co_await r.buffers->fix(r.data(), 5, FixIntent::look, prng));
        CHECK_FALSE(is_there_again);
        REQUIRE(r.sink.findings().size() == 1);
        CHECK(r.sink.findings()[0].kind == FindingKind::io_error);
        CHECK(r.sink.findings()[0].place.page_id == 5);
        CHECK(r.pool->find({r.data().file.id(), 5}) == nullptr);
        r.storage.set_rule(nullptr);
        const bool is_there_third = static_cast<bool>(co_await r.buffers->fix(r.data(), 5, FixIntent::look, prng));
        CHECK(is_there_third);
    });
}

TEST_CASE("a run that is stopping reads no more pages: they are not available, which is no finding") {
    const std::uint32_t cache_hit_ratio = GENERATE(10000U, 0U);  // absent, or present and read again
    Rig rig({.cache_hit_ratio = cache_hit_ratio});
    run_fixes(rig, [&](Rig& r, RequestLog& requests, ums::Prng& prng) -> ums::Task<void> {
        if (cache_hit_ratio == 0) (void)co_await r.buffers->fix(r.data(), 5, FixIntent::look, prng);
        (void)reads(requests, r);
        r.state.stop(sim::Outcome::stopped, "");
        const bool is_there = static_cast<bool>(co_await r.buffers->fix(r.data(), 5, FixIntent::look, prng));
        CHECK_FALSE(is_there);
        CHECK(reads(requests, r) == 0);
        CHECK(r.sink.findings().empty());
        CHECK(r.pool->find({r.data().file.id(), 5}) == nullptr);
    });
}

TEST_CASE("a wrong page is a finding, but can still be used") {
    Rig rig;
    run_fixes(rig, [](Rig& r, RequestLog&, ums::Prng& prng) -> ums::Task<void> {
        sim::testing::flip_bits(r.data_path(), 5 * kPageBytes + 300, std::byte{1});
        {
            const FixedPage page = co_await r.buffers->fix(r.data(), 5, FixIntent::change, prng);
            REQUIRE(page);
            REQUIRE(r.sink.findings().size() == 1);
            CHECK(r.sink.findings()[0].place.page_id == 5);
            CHECK(r.data().ledger[5].unknown == 1);
            CHECK(r.data().ledger[5].read_back == 0);
            CHECK(page.frame().version == 1);
        }
        co_await r.write_pages(r.data(), 5, 1);
        CHECK(r.data().ledger[5].unknown == 0);
        CHECK(r.data().ledger[5].version == 2);
    });
}

TEST_CASE("a task that finds no free memory asks the lazy writer for some and waits for it") {
    Rig rig({.pool_bytes = 64 * kPageBytes});
    run_fixes(rig, [](Rig& r, RequestLog&, ums::Prng& prng) -> ums::Task<void> {
        std::vector<sim::Slot> all;
        co_await r.buffers->acquire_slots(static_cast<std::uint32_t>(r.pool->slots().free_count()), all);
        r.buffers->memory_requested().reset();
        bool is_done = false;
        auto fix = [](Rig& rig_of, ums::Prng& numbers, bool& done) -> ums::Task<void> {
            const FixedPage page = co_await rig_of.buffers->fix(rig_of.data(), 5, FixIntent::look, numbers);
            done = static_cast<bool>(page);
        };
        ums::TaskGroup tasks;
        ums::Scheduler::current().fork(tasks, fix(r, prng, is_done));
        co_await ums::sleep_until(r.clock.now_ns() + 20 * ums::kNsPerMs);
        CHECK_FALSE(is_done);
        CHECK(r.buffers->memory_requested().is_set());
        // A task that waits for memory must not keep others from growing or shrinking the file.
        CHECK(r.data().file.resize_latch().try_acquire_exclusive());
        r.data().file.resize_latch().release_exclusive();
        r.pool->slots().release(all);
        co_await tasks.join();
        CHECK(is_done);
    });
}

// A lazy writer on another CPU may have looked for waiting tasks after the first request, and found none.
TEST_CASE("a task asks the lazy writer for memory once it is in the queue, where the lazy writer sees it") {
    Rig rig({.pool_bytes = 64 * kPageBytes});
    run_fixes(rig, [](Rig& r, RequestLog&, ums::Prng&) -> ums::Task<void> {
        sim::SlotAllocator& slots = r.pool->slots();
        std::vector<sim::Slot> all;
        co_await slots.acquire(static_cast<std::uint32_t>(slots.free_count()), all);
        r.buffers->memory_requested().reset();
        auto wait = [](sim::SlotAllocator& shared) -> ums::Task<void> {
            std::vector<sim::Slot> own;
            co_await shared.acquire(1, own);
            shared.release(own);
        };
        ums::TaskGroup tasks;
        ums::Scheduler::current().fork(tasks, wait(slots));
        co_await ums::sleep_until(r.clock.now_ns() + ums::kNsPerMs);
        CHECK(slots.has_waiters());
        CHECK(r.buffers->memory_requested().is_set());
        slots.release(all);
        co_await tasks.join();
    });
}

// There is no lazy writer here to wait for.
TEST_CASE("a task that finds too little free memory takes that of clean pages that were not used lately") {
    Rig rig({.pool_bytes = 64 * kPageBytes});
    run_fixes(rig, [](Rig& r, RequestLog&, ums::Prng& prng) -> ums::Task<void> {
        for (std::uint32_t page = 1; page <= 40; ++page) {
            const FixedPage fixed = co_await r.buffers->fix(r.data(), page, FixIntent::look, prng);
            if (page == 7) BufferManager::change(r.data(), fixed.frame());
        }
        sim::PageKey ignored;
        for (std::uint32_t i = 0; i < r.pool->frame_count(); ++i) (void)r.pool->sweep(ignored);  // one lap: all are spared
        std::vector<sim::Slot> slots;
        co_await r.buffers->acquire_slots(50, slots);
        CHECK(slots.size() == 50);
        CHECK(r.pool->slots().free_count() == 0);
        Frame* const dirty = r.pool->find({r.data().file.id(), 7});
        REQUIRE(dirty != nullptr);
        r.pool->unpin(*dirty);
        r.pool->slots().release(slots);
    });
}

// All at once on few pages and little memory: a mistake of any of them shows as a finding, an overlap, a lost version or a hang.
TEST_CASE("users, readers and writers on all schedulers: no transfer overlaps a write, no finding, no lost change") {
    const std::uint64_t seed = ums::testing::test_seed("everybody at once");
    constexpr std::uint32_t kPages = 96;
    constexpr int kRounds = 250;
    struct Shared {
        Rig& rig;
        std::vector<std::uint32_t> changes;
        ums::Spinlock lock{};
    };
    struct Doer {
        static ums::Task<void> use(Shared& shared, std::uint64_t user_seed) {
            ums::Prng prng(user_seed);
            for (int i = 0; i < kRounds; ++i) {
                const auto page = static_cast<std::uint32_t>(prng.between(1, kPages));
                const auto intent = static_cast<FixIntent>(prng.below(3));
                if (intent == FixIntent::look) {
                    (void)co_await shared.rig.buffers->fix(shared.rig.data(), page, intent, prng);
                } else if (co_await shared.rig.change_page(shared.rig.data(), page, intent) != 0) {
                    const std::lock_guard guard(shared.lock);
                    ++shared.changes[page];
                }
            }
        }
        static ums::Task<void> read(Shared& shared, std::uint64_t user_seed) {
            ums::Prng prng(user_seed);
            for (int i = 0; i < kRounds; ++i) {
                sim::RangeReader reader = shared.rig.make_reader(prng.below(4) != 0);
                const auto first = static_cast<std::uint32_t>(prng.between(1, kPages));
                co_await reader.read(shared.rig.data(), first, static_cast<std::uint32_t>(prng.between(1, 32)),
                                     {.read_present = prng.below(2) == 0, .keep = prng.below(2) == 0});
            }
        }
        // A checkpoint, and a lazy writer that evicts clean pages.
        static ums::Task<void> write(Shared& shared, std::uint64_t user_seed) {
            ums::Prng prng(user_seed);
            for (int i = 0; i < kRounds; ++i) {
                sim::PageWriter writer = shared.rig.make_writer(static_cast<std::uint32_t>(prng.between(1, 32)), prng.below(4) != 0);
                const auto page = static_cast<std::uint32_t>(prng.between(1, kPages));
                co_await writer.write_around(shared.rig.data(), page, prng.below(2) == 0);
                shared.rig.pool->evict({shared.rig.data().file.id(), static_cast<std::uint32_t>(prng.between(1, kPages))});
                if (i % 16 == 0) shared.rig.log->truncate(shared.rig.log->end_lsn());
            }
        }
    };
    Rig rig({.cpu_count = 2, .log_mb = 4, .pool_bytes = 512 * kPageBytes, .cache_hit_ratio = 5000, .shuffle_seed = seed});
    sim::testing::OverlapWatch watch;
    rig.storage.set_observer(&watch);
    rig.run([&](Rig& r) -> ums::Task<void> {
        Shared shared{r, std::vector<std::uint32_t>(kPages + 1)};
        ums::TaskGroup tasks;
        for (std::uint32_t i = 0; i < 6; ++i) {
            ums::Scheduler& scheduler = (*r.schedulers)[i % 2];
            scheduler.spawn(tasks, "User", Doer::use(shared, seed + 3 * i));
            scheduler.spawn(tasks, "Reader", Doer::read(shared, seed + 3 * i + 1));
            scheduler.spawn(tasks, "Writer", Doer::write(shared, seed + 3 * i + 2));
        }
        co_await tasks.join();
        sim::PageWriter writer = r.make_writer();
        for (std::uint32_t page = 1; page <= kPages; ++page) co_await writer.write_around(r.data(), page, true);
        sim::RangeReader reader = r.make_reader();
        const std::uint32_t read_count = co_await reader.read(r.data(), 1, kPages, {});
        CHECK(read_count == kPages);
        for (std::uint32_t page = 1; page <= kPages; ++page) CHECK(r.data().ledger[page].version == shared.changes[page]);
    });
    CHECK(rig.sink.findings().empty());
    CHECK(rig.sink.events().empty());
    CHECK(watch.violations() == std::vector<std::string>{});
    CHECK(watch.count() > 1000);
}

TEST_CASE("while pages are removed from memory and ledger others run: with large files it takes long, and the log must not wait") {
    constexpr int kTimes = 20;
    sim::testing::WorkerWorld world;
    // Tasks yield wherever they may.
    world.shuffle_seed = 1;
    world.options.files[0].initial_size_mb = world.options.files[0].max_size_mb = 16U << 10;  // 2 million pages
    world.options.files[0].sparse = true;
    world.run([](sim::testing::WorkerWorld& w) -> ums::Task<void> {
        bool is_over = false;
        std::uint32_t turns = 0;
        auto count_turns = [](const bool& is_ended, std::uint32_t& count) -> ums::Task<void> {
            for (; !is_ended; ++count) co_await ums::Scheduler::current().yield();
        };
        co_await w.change_page(7);
        co_await w.data().file.resize_latch().acquire_exclusive(ums::WaitType::file_resize);
        ums::TaskGroup tasks;
        ums::Scheduler::current().fork(tasks, count_turns(is_over, turns));
        std::uint64_t dirty_pages = 0;
        for (int i = 0; i < kTimes; ++i) dirty_pages += co_await w.parts->buffers->discard_from(w.data(), 1);
        const std::uint32_t turns_of_memory = turns;
        dirty_pages += co_await w.parts->buffers->forget_from(w.data(), 1);
        const std::uint32_t turns_of_ledger = turns - turns_of_memory;
        is_over = true;
        co_await tasks.join();
        w.data().file.resize_latch().release_exclusive();
        CHECK(dirty_pages == 1);
        CHECK(turns_of_memory > 0);
        CHECK(turns_of_ledger > 100);
    });
}
