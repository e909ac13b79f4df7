#include "sim/backup/page_copy.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "sim/backup/backup_parts.hpp"
#include "sim/limits.hpp"
#include "sim/workers/checkpoint.hpp"
#include "tests/sim/support/backup_world.hpp"
#include "tests/sim/support/worker_world.hpp"
#include "tests/support/catch.hpp"
#include "ums/sched/scheduler.hpp"
#include "ums/sched/task_group.hpp"

using sim::testing::WorkerWorld;

namespace {

// The first pages of the extents, each listed separately.
std::vector<std::uint32_t> extents_of(const std::vector<sim::PageBlock>& blocks) {
    std::vector<std::uint32_t> extents;
    for (const sim::PageBlock& block : blocks) {
        for (const sim::PageBlock::Range& range : block.ranges) {
            for (std::uint32_t page = 0; page < range.page_count; page += sim::kExtentPages) extents.push_back(range.first_page + page);
        }
    }
    return extents;
}

}  // namespace

TEST_CASE("a differential backup has the extents in which a page is newer than in the full one, was cut off since, or is unknown") {
    WorkerWorld world;
    world.options.backup_user.differential_interval_s = 1;
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        ums::Semaphore outstanding(1);
        sim::SimFile::Setup setup;
        setup.id = 9;
        setup.options.path = "/memory/backup.trn";
        sim::BackupFiles files;
        files.chain = std::make_unique<sim::SimFile>(std::move(setup),
                                                     sim::FileContext{w.storage, outstanding, w.state, w.journal, {.cpu_count = 1}});
        sim::BackupParts parts(w.context(), files);
        sim::Checkpoint checkpoint(w.context());
        for (std::uint32_t page = 1; page < 100; ++page) co_await w.change_page(page);
        co_await checkpoint.run_once();
        sim::PageLedger& ledger = w.data().ledger;
        for (std::uint32_t page = 0; page < w.data().file.pages(); ++page) parts.sources.at(0).base_lsns[page] = ledger[page].lsn;
        std::vector<sim::PageBlock> blocks = co_await blocks_of_changed_pages(parts);
        CHECK(blocks.empty());

        co_await w.change_page(17);
        co_await checkpoint.run_once();
        ledger.forget(47);  // as a cut does; the file has grown again
        ledger.mark_unknown(80);
        blocks = co_await blocks_of_changed_pages(parts);
        CHECK(extents_of(blocks) == std::vector<std::uint32_t>{16, 40, 80});
    });
}

TEST_CASE("while a differential backup looks for changed pages others run: with large files it takes long, and the log must not wait") {
    constexpr int kBackups = 20;
    ums::Semaphore outstanding(sim::kOutstandingIoMax);
    WorkerWorld world;
    world.shuffle_seed = 1;  // tasks yield wherever they may
    world.options.backup_user.folders = "/memory";
    world.options.backup_user.differential_interval_s = 1;
    world.run([&outstanding](WorkerWorld& w) -> ums::Task<void> {
        co_await sim::testing::add_backup_files(w, outstanding);
        sim::BackupParts parts(w.context(), w.parts->backup_files);
        bool is_over = false;
        std::uint32_t turns = 0;
        auto count_turns = [](const bool& is_ended, std::uint32_t& count) -> ums::Task<void> {
            for (; !is_ended; ++count) co_await ums::Scheduler::current().yield();
        };
        ums::TaskGroup tasks;
        ums::Scheduler::current().fork(tasks, count_turns(is_over, turns));
        for (int i = 0; i < kBackups; ++i) {
            const std::vector<sim::PageBlock> blocks = co_await blocks_of_changed_pages(parts);
            CHECK(blocks.empty());
        }
        is_over = true;
        CHECK(turns > 0);
        co_await tasks.join();
    });
}
