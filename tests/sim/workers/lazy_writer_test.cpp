// What the lazy writer evicts, and when. In virtual time, on files in memory; the pool has room for 512 of 1024 pages.
#include "sim/workers/lazy_writer.hpp"

#include <cstdint>
#include <vector>

#include "tests/sim/support/worker_world.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using sim::LazyWriter;
using sim::Slot;

namespace {

constexpr std::uint32_t kPoolPages = WorkerWorld::kPoolBytes / sim::kPageBytes;

bool is_in_memory(WorkerWorld& world, std::uint32_t page) {
    sim::Frame* const frame = world.parts->pool->find({world.data().file.id(), page});
    if (frame == nullptr) return false;
    world.parts->pool->unpin(*frame);
    return true;
}

// Fills the pool except for `free_pages` with dirty pages 1, 2, ...
ums::Task<void> fill_pool(WorkerWorld& world, std::uint32_t free_pages) {
    for (std::uint32_t page = 1; page <= kPoolPages - free_pages; ++page) co_await world.change_page(page);
}

ums::Task<void> acquire(WorkerWorld& world, std::uint32_t count, std::vector<Slot>& slots) {
    co_await world.parts->buffers->acquire_slots(count, slots);
}

// Runs `body(world, lazy_writer)` concurrently with the service.
template <typename Body>
void run_served(WorkerWorld& world, Body body) {
    world.run([&](WorkerWorld& w) -> ums::Task<void> {
        LazyWriter lazy_writer(w.context());
        ums::TaskGroup tasks;
        co_await fill_pool(w, 10);
        (*w.schedulers)[0].spawn(tasks, "Lazy Writer", lazy_writer.serve());
        co_await body(w);
        lazy_writer.stop();
        co_await tasks.join();
    });
}

}  // namespace

TEST_CASE("the lazy writer keeps memory free: it writes dirty pages, and evicts only pages that are on the disk") {
    WorkerWorld world;
    run_served(world, [](WorkerWorld& w) -> ums::Task<void> {
        sim::BufferPool& pool = *w.parts->pool;
        REQUIRE(pool.slots().free_count() < w.parts->buffers->free_target());
        co_await w.sleep_ms(2500);
        CHECK(pool.slots().free_count() >= w.parts->buffers->free_target());
        std::uint32_t evicted = 0;
        for (std::uint32_t page = 1; page <= kPoolPages - 10; ++page) {
            if (is_in_memory(w, page)) continue;
            ++evicted;
            CHECK(w.data().ledger[page].version == 1);
        }
        CHECK(evicted >= w.parts->buffers->free_target() - 10);
        CHECK(evicted < kPoolPages / 2);
        CHECK(w.context().lazy_writer.pages_updated >= evicted);
    });
    CHECK(world.sink.findings().empty());
}

TEST_CASE("the lazy writer works as soon as memory is needed, not only once a second") {
    WorkerWorld world;
    run_served(world, [](WorkerWorld& w) -> ums::Task<void> {
        co_await w.sleep_ms(1500);
        const std::uint64_t begin_ns = w.clock.now_ns();
        std::vector<Slot> slots;
        co_await acquire(w, kPoolPages / 2, slots);
        CHECK(slots.size() == kPoolPages / 2);
        CHECK(w.clock.now_ns() - begin_ns < 100 * ums::kNsPerMs);
        for (const Slot slot : slots) w.parts->pool->slots().release(slot);
    });
}

TEST_CASE("a page that was used since the lazy writer's last visit stays in memory") {
    WorkerWorld world;
    run_served(world, [](WorkerWorld& w) -> ums::Task<void> {
        ums::Prng prng(1);
        for (int i = 0; i < 40; ++i) {
            // One page is read again and again, while others come and go.
            { const sim::FixedPage used = co_await w.parts->buffers->fix(w.data(), 5, sim::FixIntent::overwrite, prng); }
            for (std::uint32_t page = 0; page < 20; ++page) co_await w.change_page(600 + (20 * static_cast<std::uint32_t>(i) + page) % 400);
            co_await w.sleep_ms(50);
        }
        CHECK(w.context().lazy_writer.pages_updated > kPoolPages / 2);
        CHECK(is_in_memory(w, 5));
    });
}

TEST_CASE("while users end, the lazy writer makes room only for waiting tasks") {
    WorkerWorld world;
    run_served(world, [](WorkerWorld& w) -> ums::Task<void> {
        w.state.end_users();
        co_await w.sleep_ms(3000);
        CHECK(w.parts->pool->slots().free_count() == 10);
        std::vector<Slot> slots;
        co_await acquire(w, 40, slots);
        CHECK(slots.size() == 40);
        for (const Slot slot : slots) w.parts->pool->slots().release(slot);
        w.state.users_have_ended();
    });
}
