// A snapshot of a data file: what is copied into it, what a reader is given, and what it takes up. In virtual time.
#include "sim/buffer/snapshot.hpp"

#include <cerrno>
#include <cstdint>
#include <vector>

#include "tests/sim/support/worker_world.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/resident.hpp"
#include "ums/base/units.hpp"

using namespace sim::testing;
using sim::kPageBytes;

namespace {

constexpr std::uint32_t kCopiedPage = 7;

ums::Task<void> change_and_write(WorkerWorld& world, std::uint32_t page) {
    sim::PageWriter writer = world.context().make_writer();
    co_await world.change_page(page);
    co_await writer.write_around(world.data(), page, true);
}

ums::Task<void> read_page(WorkerWorld& world, sim::Snapshot& snapshot) {
    sim::RangeReader reader = world.context().make_reader();
    co_await snapshot.read(reader, kCopiedPage, 1);
}

}  // namespace

TEST_CASE("a reader that has found a copy in a snapshot is not given the next snapshot's") {
    WorkerWorld world;
    world.add_replica(8);
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        sim::Snapshot& snapshot = *w.parts->snapshots.front();
        const sim::SimFile& replica = w.parts->data_files.back()->file;
        const std::int32_t transfers = replica.transfer_handle().value;
        const std::int32_t control = replica.control_handle().value;
        co_await change_and_write(w, kCopiedPage);
        co_await snapshot.take();
        co_await change_and_write(w, kCopiedPage);
        // The replica is emptied slowly, and what is read of it then comes late.
        w.storage.set_rule([transfers, control](const ums::IoRequest& request) {
            const bool empties = request.operation == ums::IoOperation::truncate && request.file.value == control;
            const bool reads = request.operation == ums::IoOperation::read && request.file.value == transfers;
            return Fate{.delay_ns = empties ? 10 * ums::kNsPerMs : 0, .hold = reads};
        });
        ums::TaskGroup tasks;
        (*w.schedulers)[0].spawn(tasks, "Snapshot", snapshot.take());
        co_await w.sleep_ms(1);
        (*w.schedulers)[0].spawn(tasks, "Reader", read_page(w, snapshot));
        co_await w.sleep_ms(50);
        co_await change_and_write(w, kCopiedPage);  // copies the page again
        w.storage.set_rule(nullptr);
        w.storage.release_held();
        co_await tasks.join();
    });
    CHECK(world.sink.findings().empty());
}

TEST_CASE("a new snapshot of a large file takes no memory for pages that the one before it did not have") {
    WorkerWorld world;
    world.add_replica(8);
    for (const std::size_t i : {0U, 2U}) {
        world.options.files[i].initial_size_mb = world.options.files[i].max_size_mb = 16U << 10;  // 32 MB of each ledger
        world.options.files[i].sparse = true;
    }
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        sim::Snapshot& snapshot = *w.parts->snapshots.front();
        co_await snapshot.take();
        co_await change_and_write(w, kCopiedPage);
        const std::uint64_t before_bytes = ums::testing::resident_bytes();
        co_await snapshot.take();
        CHECK(ums::testing::resident_bytes() < before_bytes + 8 * ums::kMb);
        CHECK(snapshot.pages() == 2U << 20);
        CHECK(w.parts->data_files.back()->ledger[kCopiedPage].version == 0);
    });
    CHECK(world.sink.findings().empty());
}

TEST_CASE("a snapshot of a large file takes no memory for pages that are not copied") {
    WorkerWorld world;
    world.add_replica(8);
    for (const std::size_t i : {0U, 2U}) {
        world.options.files[i].initial_size_mb = world.options.files[i].max_size_mb = 128U << 10;  // 16 million pages
        world.options.files[i].sparse = true;
    }
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        sim::DataFile& replica = *w.parts->data_files.back();
        const std::uint64_t before_bytes = ums::testing::resident_bytes();
        sim::Snapshot snapshot({}, w.data(), replica, *w.parts->buffers, w.state, w.journal, w.context().snapshots);
        co_await snapshot.take();
        CHECK(ums::testing::resident_bytes() < before_bytes + 8 * ums::kMb);
        CHECK(snapshot.pages() == 16U << 20);
        co_await snapshot.release();
    });
    CHECK(world.sink.findings().empty());
}

TEST_CASE("while a snapshot is taken others run: with large files it takes long, and the log must not wait") {
    constexpr std::uint32_t kTurnsMax = 100'000;
    WorkerWorld world;
    world.shuffle_seed = 1;  // tasks yield wherever they may
    world.add_replica(8);
    for (const std::size_t i : {0U, 2U}) {
        world.options.files[i].initial_size_mb = world.options.files[i].max_size_mb = 16U << 10;  // 2 million pages
        world.options.files[i].sparse = true;
    }
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        sim::Snapshot& snapshot = *w.parts->snapshots.front();
        const std::uint64_t size_bytes = w.data().file.size_bytes();
        // Nothing is requested after the replica has its size, so time stands still.
        w.storage.set_rule([size_bytes](const ums::IoRequest& request) {
            return Fate{.hold = request.operation == ums::IoOperation::truncate && request.offset_bytes == size_bytes};
        });
        ums::TaskGroup tasks;
        (*w.schedulers)[0].spawn(tasks, "Snapshot", snapshot.take());
        co_await wait_for_held(w.storage, w.clock);
        w.storage.set_rule(nullptr);
        w.storage.release_held();
        std::uint32_t turns = 0;
        for (; snapshot.pages() == 0 && turns < kTurnsMax; ++turns) co_await ums::Scheduler::current().yield();
        co_await tasks.join();
        CHECK(snapshot.pages() > 0);
        CHECK(turns > 100);
    });
    CHECK(world.sink.findings().empty());
}

TEST_CASE("after a snapshot that finds no room there is none, not the one before it without its pages") {
    WorkerWorld world;
    world.add_replica(8);
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        sim::Snapshot& snapshot = *w.parts->snapshots.front();
        const std::int32_t control = w.parts->data_files.back()->file.control_handle().value;
        co_await snapshot.take();
        co_await change_and_write(w, kCopiedPage);
        CHECK(snapshot.pages() > 0);
        w.storage.set_rule([control](const ums::IoRequest& request) {
            const bool is_growth = request.operation == ums::IoOperation::truncate && request.offset_bytes > kPageBytes;
            return Fate{.error = is_growth && request.file.value == control ? ENOSPC : 0};
        });
        co_await snapshot.take();
        CHECK(snapshot.pages() == 0);
        co_await change_and_write(w, kCopiedPage + 1);  // is not copied
        w.storage.set_rule(nullptr);
        co_await snapshot.take();
        CHECK(snapshot.pages() > 0);
    });
    CHECK(world.sink.findings().empty());
}

TEST_CASE("a page that was copied for one snapshot is copied again for the next, and once for each") {
    WorkerWorld world;
    world.add_replica(8);
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        sim::Snapshot& snapshot = *w.parts->snapshots.front();
        const sim::PageLedger& copies = w.parts->data_files.back()->ledger;
        co_await change_and_write(w, kCopiedPage);
        co_await snapshot.take();
        co_await change_and_write(w, kCopiedPage);
        CHECK(copies[kCopiedPage].version == 1);
        co_await change_and_write(w, kCopiedPage);
        CHECK(w.context().snapshots.pages_updated == 1);
        co_await snapshot.take();
        CHECK(copies[kCopiedPage].version == 0);
        co_await change_and_write(w, kCopiedPage);
        CHECK(copies[kCopiedPage].version == 3);
        CHECK(w.context().snapshots.pages_updated == 2);
        co_await snapshot.release();
    });
    CHECK(world.sink.findings().empty());
}

TEST_CASE("a copy that a stop interrupts between two runs of pages is finished later, and each page is written once") {
    WorkerWorld world;
    world.add_replica(8);
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        sim::Snapshot& snapshot = *w.parts->snapshots.front();
        const sim::DataFile& replica = *w.parts->data_files.back();
        const std::int32_t handle = replica.file.transfer_handle().value;
        for (const std::uint32_t page : {kCopiedPage, kCopiedPage + 2}) co_await change_and_write(w, page);  // a hole in between
        co_await snapshot.take();
        static_cast<void>(w.requests.take(replica.file));
        w.storage.set_rule([&w, handle](const ums::IoRequest& request) {
            const bool is_copy = request.operation == ums::IoOperation::write && request.file.value == handle;
            if (is_copy) w.state.end_users();
            return Fate{};
        });
        co_await w.data().file.resize_latch().acquire_exclusive(ums::WaitType::file_resize);
        const bool is_done_at_first = co_await snapshot.copy_before_change(kCopiedPage, 3, sim::OnStop::abandon_with_users);
        CHECK_FALSE(is_done_at_first);
        CHECK(w.context().snapshots.pages_updated == 2);
        const bool is_done_later = co_await snapshot.copy_before_change(kCopiedPage, 3, sim::OnStop::post);
        CHECK(is_done_later);
        w.data().file.resize_latch().release_exclusive();
        CHECK(w.context().snapshots.pages_updated == 3);
        CHECK(w.requests.take(replica.file) ==
              std::vector<RequestLog::Entry>{{true, handle, kCopiedPage, 1}, {true, handle, kCopiedPage + 2, 1}});
        w.storage.set_rule(nullptr);
        co_await snapshot.release();
    });
    CHECK(world.sink.findings().empty());
}

TEST_CASE("a reader takes a page of a snapshot from its copy as soon as the copy is complete, and not before") {
    WorkerWorld world;
    world.add_replica(8);
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        sim::Snapshot& snapshot = *w.parts->snapshots.front();
        const sim::SimFile& replica = w.parts->data_files.back()->file;
        const std::int32_t handle = replica.transfer_handle().value;
        co_await change_and_write(w, kCopiedPage);
        co_await snapshot.take();
        w.storage.set_rule([handle](const ums::IoRequest& request) {
            return Fate{.hold = request.operation == ums::IoOperation::write && request.file.value == handle};
        });
        ums::TaskGroup tasks;
        (*w.schedulers)[0].spawn(tasks, "User", change_and_write(w, kCopiedPage));
        co_await wait_for_held(w.storage, w.clock);
        static_cast<void>(w.requests.take(replica));
        (*w.schedulers)[0].spawn(tasks, "Reader", read_page(w, snapshot));
        co_await w.sleep_ms(50);
        CHECK(w.requests.take(replica).empty());
        w.storage.set_rule(nullptr);
        w.storage.release_held();
        co_await tasks.join();
        // What the reader had waited for was the changed page of the source.
        CHECK(w.data().ledger[kCopiedPage].version == 2);
        CHECK(w.requests.take(replica) == std::vector<RequestLog::Entry>{{false, handle, kCopiedPage, 1}});
        co_await snapshot.release();
    });
    CHECK(world.sink.findings().empty());
}
