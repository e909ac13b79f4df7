// What a checkpoint writes, and how much of the log it frees. In virtual time, on files in memory.
#include "sim/workers/checkpoint.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "sim/log/log_block_check.hpp"
#include "tests/sim/support/worker_world.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/seed.hpp"

using namespace sim::testing;
using sim::Checkpoint;

namespace {

constexpr std::uint64_t kLargeRecordBytes = 32 << 10;
constexpr std::uint32_t kRecordsPerVlf = 70;  // of 32 KB; a little more than the 2 MB of one
constexpr std::uint32_t kPagesChanged = 400;

std::vector<RequestLog::Entry> writes_of(WorkerWorld& world) {
    std::vector<RequestLog::Entry> entries = world.requests.take(world.data().file);
    std::erase_if(entries, [](const RequestLog::Entry& entry) { return !entry.is_write; });
    return entries;
}

// Changes pages [first, first + kRecordsPerVlf), which takes the log into the next VLF.
ums::Task<std::uint64_t> fill_vlf(WorkerWorld& world, std::uint32_t first) {
    std::uint64_t lsn = 0;
    for (std::uint32_t i = 0; i < kRecordsPerVlf; ++i) lsn = co_await world.change_page(first + i, kLargeRecordBytes);
    co_return lsn;
}

// Logs changes of a file that no checkpoint sums up, until there is no room any more and will not be.
ums::Task<void> fill_log(WorkerWorld& world) {
    constexpr std::uint64_t kRecordBytes = 60'000;
    for (;;) {
        sim::LogReservation reservation = co_await world.context().log.space().reserve(kRecordBytes);
        if (!reservation) co_return;
        co_await world.context().log.append(reservation, {.kind = sim::LogRecordKind::page_update, .file_id = 99}, kRecordBytes);
    }
}

using PagesAndVersions = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// Of a block that is being written: the pages about which a checkpoint promises nothing, and their newest versions.
void note_pages_not_promised(const ums::IoRequest& block_write, PagesAndVersions& pages) {
    const auto note = [&pages](const sim::LogRecordHeader& record, std::span<const std::byte> /*body*/) {
        if (record.kind == static_cast<std::uint16_t>(sim::LogRecordKind::page_unknown)) pages.emplace_back(record.page_id, record.version);
    };
    CHECK(sim::for_each_record(block_write.segments->data, note));
}

ums::Task<void> run_held_checkpoint(WorkerWorld& world, Checkpoint& checkpoint, ums::TaskGroup& tasks) {
    world.hold_data_writes();
    (*world.schedulers)[0].spawn(tasks, "Checkpoint", checkpoint.run_once());
    co_await wait_for_held(world.storage, world.clock);
}

}  // namespace

TEST_CASE("a checkpoint writes all dirty pages, adjacent ones with one request, and nothing else") {
    WorkerWorld world;
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        static_cast<void>(w.requests.take(w.data().file));
        for (const std::uint32_t page : {7U, 5U, 6U, 40U}) co_await w.change_page(page);
        Checkpoint checkpoint(w.context());
        co_await checkpoint.run_once();
        std::vector<RequestLog::Entry> writes = writes_of(w);
        std::sort(writes.begin(), writes.end(), [](const auto& a, const auto& b) { return a.page < b.page; });
        const std::int32_t file = w.data().file.transfer_handle().value;
        CHECK(writes == std::vector<RequestLog::Entry>{{true, file, 5, 3}, {true, file, 40, 1}});
        for (const std::uint32_t page : {5U, 6U, 7U, 40U}) {
            CHECK(!w.is_dirty(page));
            CHECK(w.data().ledger[page].version == 1);
        }
        CHECK(w.context().checkpoint.pages_updated == 4);
        co_await checkpoint.run_once();
        CHECK(writes_of(w).empty());
        CHECK(w.context().checkpoint.cycles == 2);
        CHECK(checkpoint.done_fraction() == 0);
    });
}

TEST_CASE("a checkpoint frees the log up to its own beginning, and only once its pages are written") {
    WorkerWorld world;
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        Checkpoint checkpoint(w.context());
        ums::TaskGroup tasks;
        const std::uint64_t old_lsn = co_await w.change_page(1);
        co_await fill_vlf(w, 10);
        co_await run_held_checkpoint(w, checkpoint, tasks);
        // Its pages are still in flight, so the log records of their changes must stay.
        CHECK(w.keeps_log_of(old_lsn));
        // Other pages change meanwhile, and the log continues in another VLF: this checkpoint does not write those pages.
        const std::uint64_t first_lsn_meanwhile = co_await w.change_page(200);
        const std::uint64_t last_lsn_meanwhile = co_await fill_vlf(w, 300);
        REQUIRE(sim::vlf_of_lsn(last_lsn_meanwhile) > sim::vlf_of_lsn(first_lsn_meanwhile));
        CHECK(w.keeps_log_of(old_lsn));
        w.release_data_writes();
        co_await tasks.join();
        CHECK(!w.keeps_log_of(old_lsn));
        CHECK(w.is_dirty(200));
        CHECK(w.keeps_log_of(first_lsn_meanwhile));
        // The next one does.
        co_await checkpoint.run_once();
        CHECK(!w.is_dirty(200));
        CHECK(!w.keeps_log_of(first_lsn_meanwhile));
    });
}

TEST_CASE("whatever runs between its steps, a checkpoint writes everything that was changed before it began") {
    const std::uint64_t seed = ums::testing::test_seed("a checkpoint between changes");
    std::size_t before = 0;
    std::size_t behind = 0;
    for (std::uint64_t i = 0; i < 40; ++i) {
        WorkerWorld world;
        world.shuffle_seed = seed + i;
        world.has_promises = true;
        world.run([&](WorkerWorld& w) -> ums::Task<void> {
            std::map<std::uint32_t, std::uint64_t> lsn_of;  // each page is changed once
            auto change_pages = [&]() -> ums::Task<void> {
                for (std::uint32_t page = 1; page < kPagesChanged; page += 2) {  // an adjacent page would be written with it
                    const std::uint64_t lsn = co_await w.change_page(page);
                    lsn_of[page] = lsn;
                    co_await ums::Scheduler::current().yield_if_due();
                }
            };
            ums::TaskGroup tasks;
            (*w.schedulers)[0].spawn(tasks, "User", change_pages());
            for (std::uint64_t turn = 0; turn < i; ++turn) co_await ums::Scheduler::current().yield_if_due();
            Checkpoint checkpoint(w.context());
            co_await checkpoint.run_once();
            co_await tasks.join();
            const std::uint64_t begin_lsn = w.parts->promises->take_batch().checkpoint_lsn;
            REQUIRE(begin_lsn != 0);
            for (const auto& [page, lsn] : lsn_of) {
                ++(lsn < begin_lsn ? before : behind);
                INFO("seed " << seed + i << ", page " << page << ", LSN " << lsn << ", checkpoint begun at " << begin_lsn);
                CHECK((lsn > begin_lsn || !w.is_dirty(page)));
            }
        });
    }
    CHECK(before > 0);
    CHECK(behind > 0);
}

TEST_CASE("a checkpoint that is cut off by the end of the main run frees none of the log") {
    WorkerWorld world;
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        Checkpoint checkpoint(w.context());
        ums::TaskGroup tasks;
        const std::uint64_t old_lsn = co_await w.change_page(1);
        co_await fill_vlf(w, 10);
        co_await run_held_checkpoint(w, checkpoint, tasks);
        w.state.end_users();
        w.release_data_writes();
        co_await tasks.join();
        CHECK(w.keeps_log_of(old_lsn));
        CHECK(w.context().checkpoint.cycles == 0);
        w.state.users_have_ended();
        co_await checkpoint.run_once();
        CHECK(!w.keeps_log_of(old_lsn));
        CHECK(w.context().checkpoint.cycles == 1);
    });
}

TEST_CASE("a full log has room for the final checkpoint even after one that the end of the main run has cut off") {
    const bool is_full_before = GENERATE(false, true);
    WorkerWorld world;
    world.options.files[0].max_size_mb = 8192;  // what a checkpoint records about it takes 256 KB, the most there is
    world.options.files[1].initial_size_mb = world.options.files[1].max_size_mb = 16;
    world.run([is_full_before](WorkerWorld& w) -> ums::Task<void> {
        sim::LogSpace& space = w.context().log.space();
        Checkpoint checkpoint(w.context());
        ums::TaskGroup tasks;
        ums::TaskGroup users;
        co_await w.change_page(1);
        w.hold_data_writes();
        if (!is_full_before) (*w.schedulers)[0].spawn(tasks, "Checkpoint", checkpoint.serve());
        (*w.schedulers)[0].spawn(users, "User", fill_log(w));
        co_await w.sleep_ms(1000);
        REQUIRE(space.use().is_waited_for);
        if (is_full_before) (*w.schedulers)[0].spawn(tasks, "Checkpoint", checkpoint.serve());
        co_await wait_for_held(w.storage, w.clock);
        REQUIRE(w.storage.held_count() == 1);

        w.state.end_users();
        space.refuse();
        co_await users.join();
        space.checkpoint_wanted().set();  // by one of the tasks that waited
        const std::uint64_t end_lsn = w.context().log.end_lsn();
        w.release_data_writes();
        co_await w.sleep_ms(1000);
        CHECK(w.context().checkpoint.cycles == 0);
        CHECK(w.context().log.end_lsn() == end_lsn);

        w.state.users_have_ended();
        space.accept();
        co_await checkpoint.run_once();
        CHECK(w.context().checkpoint.cycles == 1);
        CHECK_FALSE(space.use().is_waited_for);
        checkpoint.stop();
        co_await tasks.join();
    });
}

TEST_CASE("a checkpoint whose end cannot be hardened frees none of the log") {
    WorkerWorld world;
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        Checkpoint checkpoint(w.context());
        ums::TaskGroup tasks;
        const std::uint64_t old_lsn = co_await w.change_page(1);
        const std::uint64_t last_lsn = co_await fill_vlf(w, 10);
        REQUIRE(sim::vlf_of_lsn(last_lsn) > sim::vlf_of_lsn(old_lsn));
        const bool is_hardened = co_await w.context().log.flush();
        REQUIRE(is_hardened);
        co_await run_held_checkpoint(w, checkpoint, tasks);
        // All of its pages reach the disk and are acknowledged, but its end record does not reach the log.
        const std::int32_t file = w.data().file.transfer_handle().value;
        w.storage.set_rule([file](const ums::IoRequest& request) {
            return Fate{.error = request.operation == ums::IoOperation::write && request.file.value != file ? EIO : 0};
        });
        w.storage.release_held();
        co_await tasks.join();
        w.storage.set_rule(nullptr);
        CHECK(w.data().ledger[1].version == 1);
        CHECK(w.data().ledger[10 + kRecordsPerVlf - 1].version == 1);
        CHECK(w.keeps_log_of(old_lsn));
    });
}

TEST_CASE("if a file cannot be synced, the run ends and the log stays") {
    WorkerWorld world;
    world.options.write_through = false;
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        Checkpoint checkpoint(w.context());
        const std::uint64_t old_lsn = co_await w.change_page(1);
        co_await fill_vlf(w, 10);
        const std::int32_t file = w.data().file.transfer_handle().value;
        w.storage.set_rule([file](const ums::IoRequest& request) {
            return Fate{.error = request.operation == ums::IoOperation::sync && request.file.value == file ? EIO : 0};
        });
        co_await checkpoint.run_once();
        w.storage.set_rule(nullptr);
        CHECK(w.keeps_log_of(old_lsn));
        CHECK(w.state.outcome() == sim::Outcome::failed);
        CHECK(w.context().checkpoint.cycles == 0);
    });
}

// The write that failed was of a change before the checkpoint began, and no sync covers the one that has replaced it.
TEST_CASE("a checkpoint promises nothing about a page whose write failed, even if it is written again while its file is synced") {
    constexpr std::uint32_t kPage = 7;
    WorkerWorld world;
    world.options.write_through = false;
    PagesAndVersions not_promised;
    world.run([&not_promised](WorkerWorld& w) -> ums::Task<void> {
        const std::int32_t file = w.data().file.transfer_handle().value;
        const std::int32_t log_file = w.parts->log_files.front()->transfer_handle().value;
        bool is_bad = true;
        w.storage.set_rule([&not_promised, &is_bad, file, log_file](const ums::IoRequest& request) {
            const bool is_write = request.operation == ums::IoOperation::write;
            if (is_write && request.file.value == log_file) note_pages_not_promised(request, not_promised);
            if (request.file.value != file) return Fate{};
            const bool fails = is_bad && is_write && request.offset_bytes == std::uint64_t{kPage} * sim::kPageBytes;
            return Fate{.error = fails ? EIO : 0, .hold = request.operation == ums::IoOperation::sync};
        });
        co_await w.change_page(kPage);
        Checkpoint checkpoint(w.context());
        ums::TaskGroup tasks;
        (*w.schedulers)[0].spawn(tasks, "Checkpoint", checkpoint.run_once());
        co_await wait_for_held(w.storage, w.clock);
        CHECK(w.data().ledger[kPage].unknown == 1);
        is_bad = false;
        co_await w.change_page(kPage);
        sim::PageWriter writer = w.context().make_writer();
        co_await writer.write_around(w.data(), kPage, true);
        CHECK(w.data().ledger[kPage].unknown == 0);
        CHECK(w.data().ledger[kPage].version == 2);
        w.storage.release_held();
        co_await tasks.join();
        CHECK(w.context().checkpoint.cycles == 1);
        w.storage.set_rule(nullptr);
    });
    CHECK(not_promised == PagesAndVersions{{kPage, 1}});
}

TEST_CASE("a checkpoint waits for a page in use after it has written all others") {
    WorkerWorld world;
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        Checkpoint checkpoint(w.context());
        ums::TaskGroup tasks;
        for (const std::uint32_t page : {10U, 20U, 30U}) co_await w.change_page(page);
        ums::Prng prng(1);
        sim::FixedPage used = co_await w.parts->buffers->fix(w.data(), 10, sim::FixIntent::overwrite, prng);
        (*w.schedulers)[0].spawn(tasks, "Checkpoint", checkpoint.run_once());
        co_await w.sleep_ms(1000);
        CHECK(w.is_dirty(10));
        CHECK(!w.is_dirty(20));
        CHECK(!w.is_dirty(30));
        CHECK(w.context().checkpoint.cycles == 0);
        used.release();
        co_await tasks.join();
        CHECK(!w.is_dirty(10));
        CHECK(w.context().checkpoint.cycles == 1);
    });
}

TEST_CASE("checkpoints take turns, and none runs while they are paused") {
    WorkerWorld world;
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        Checkpoint checkpoint(w.context());
        ums::TaskGroup tasks;
        co_await w.change_page(10);
        co_await run_held_checkpoint(w, checkpoint, tasks);
        co_await w.change_page(20);
        (*w.schedulers)[0].spawn(tasks, "Checkpoint", checkpoint.run_once());
        co_await w.sleep_ms(100);
        CHECK(w.storage.held_count() == 1);
        w.release_data_writes();
        co_await tasks.join();
        CHECK(w.context().checkpoint.cycles == 2);

        co_await w.change_page(30);
        co_await checkpoint.pause();
        (*w.schedulers)[0].spawn(tasks, "Checkpoint", checkpoint.run_once());
        co_await w.sleep_ms(1000);
        CHECK(w.is_dirty(30));
        checkpoint.resume();
        co_await tasks.join();
        CHECK(!w.is_dirty(30));
    });
}

TEST_CASE("the service takes a checkpoint when the log needs one, and every CheckpointInterval while it is periodic") {
    WorkerWorld world;
    world.options.checkpoint_interval_ms = 500;
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        Checkpoint checkpoint(w.context());
        const auto cycles = [&w] { return w.context().checkpoint.cycles.load(); };
        ums::TaskGroup tasks;
        (*w.schedulers)[0].spawn(tasks, "Checkpoint", checkpoint.serve());
        co_await w.sleep_ms(2100);
        CHECK(cycles() == 0);
        w.context().log.space().checkpoint_wanted().set();
        co_await w.sleep_ms(100);
        CHECK(cycles() == 1);
        checkpoint.set_periodic(true);
        co_await w.sleep_ms(2500);
        CHECK(cycles() >= 5);
        CHECK(cycles() <= 7);
        checkpoint.set_periodic(false);
        const std::uint64_t before = cycles();
        co_await w.sleep_ms(2000);
        CHECK(cycles() == before);
        checkpoint.stop();
        co_await tasks.join();
    });
}
