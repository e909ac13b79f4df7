// The first steps of a backup, one by one: which changes its pages hold, and what becomes of its log. In virtual time, on files in memory.
#include <cerrno>
#include <cstdint>

#include "sim/backup/backup.hpp"
#include "sim/limits.hpp"
#include "sim/workers/checkpoint.hpp"
#include "tests/sim/support/backup_world.hpp"
#include "tests/sim/support/worker_world.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;

namespace {

// Runs `body(world, backup, tasks)`, a coroutine, with a backup that writes to files in memory.
template <typename Body>
void run_backup(WorkerWorld& world, const Body& body) {
    ums::Semaphore outstanding(sim::kOutstandingIoMax);
    world.options.backup_user.folders = "/memory";
    world.run([&outstanding, &body](WorkerWorld& w) -> ums::Task<void> {
        co_await add_backup_files(w, outstanding);
        sim::Backup backup(w.context(), w.parts->backup_files, *w.parts->checkpoint, *w.parts->log_auditor);
        ums::TaskGroup tasks;
        co_await body(w, backup, tasks);
    });
}

void start_backup(WorkerWorld& world, sim::Backup& backup, ums::TaskGroup& tasks) {
    world.state.release_users();
    (*world.schedulers)[0].spawn(tasks, "Backup", backup.serve());
}

ums::Task<void> end_main_run(WorkerWorld& world, ums::TaskGroup& tasks) {
    world.state.end_users();
    world.state.users_have_ended();
    co_await tasks.join();
}

// From now on, and no others.
void hold_requests(WorkerWorld& world, ums::IoOperation operation, const sim::SimFile& file) {
    const std::int32_t handle = file.transfer_handle().value;
    world.storage.set_rule([operation, handle](const ums::IoRequest& request) {
        return Fate{.hold = request.operation == operation && request.file.value == handle};
    });
}

}  // namespace

TEST_CASE("a backup takes no checkpoint for its own that had begun before it, when the end of the main run leaves it without one") {
    WorkerWorld world;
    world.options.backup_user.restore_folder = "/memory";
    run_backup(world, [](WorkerWorld& w, sim::Backup& backup, ums::TaskGroup& tasks) -> ums::Task<void> {
        w.state.release_users();
        co_await w.change_page(300);
        w.hold_data_writes();
        (*w.schedulers)[0].spawn(tasks, "Checkpoint", w.parts->checkpoint->run_once());
        co_await wait_for_held(w.storage, w.clock);
        // Neither the checkpoint that is in progress nor the log of the backup has this change.
        co_await w.change_page(40);
        (*w.schedulers)[0].spawn(tasks, "Backup", backup.serve());
        co_await w.sleep_ms(100);
        hold_requests(w, ums::IoOperation::write, *w.parts->log_files.front());
        w.storage.release_held();
        co_await wait_for_held(w.storage, w.clock);  // the end of the checkpoint: all of its pages have been written
        w.state.end_users();
        w.release_data_writes();
        co_await w.sleep_ms(1000);
        CHECK(w.context().checkpoint.cycles == 1);
        w.state.users_have_ended();
        co_await tasks.join();
        co_await backup.finish();
        INFO(w.sink.text());
        CHECK(backup.result().full.count == 1);
        CHECK(backup.result().compared.count == 1);
        CHECK(w.sink.findings().empty());
    });
}

TEST_CASE("a chain whose log was reused before it could be copied is said to end once") {
    WorkerWorld world;
    run_backup(world, [](WorkerWorld& w, sim::Backup& backup, ums::TaskGroup& tasks) -> ums::Task<void> {
        hold_requests(w, ums::IoOperation::write, *w.parts->backup_files.chain);
        start_backup(w, backup, tasks);
        co_await wait_for_held(w.storage, w.clock);
        // More than three quarters of the log, while the backup waits for the first write of its chain.
        for (std::uint32_t page = 100; page < 300; ++page) co_await w.change_page(page, 32 << 10);
        co_await w.parts->checkpoint->run_once();
        w.storage.set_rule(nullptr);
        w.storage.release_held();
        co_await w.sleep_ms(500);
        co_await end_main_run(w, tasks);
        CHECK(backup.result().broken_chains == 1);
        CHECK(backup.result().full.count == 0);
        co_await backup.finish();
        INFO(w.sink.text());
        CHECK(backup.result().broken_chains == 1);
        CHECK(backup.result().full.count == 1);
        CHECK(w.sink.count_of(sim::Severity::warning, "The chain of backups 1 ends") == 1);
    });
}

TEST_CASE("while the disk of the backups is full, each new try waits twice as long, and a backup is made once there is room") {
    WorkerWorld world;
    run_backup(world, [](WorkerWorld& w, sim::Backup& backup, ums::TaskGroup& tasks) -> ums::Task<void> {
        w.storage.set_rule(
            [](const ums::IoRequest& request) { return Fate{.error = request.operation == ums::IoOperation::allocate ? ENOSPC : 0}; });
        start_backup(w, backup, tasks);
        co_await w.sleep_ms(12'000);
        CHECK(backup.result().broken_chains == 4);  // begun after 0, 1, 3 and 7 seconds
        CHECK(w.sink.count_of(sim::Severity::warning, "cannot grow beyond") == 4);
        w.storage.set_rule(nullptr);
        co_await end_main_run(w, tasks);
        co_await backup.finish();
        INFO(w.sink.text());
        CHECK(backup.result().full.count == 1);
        CHECK(w.sink.findings().empty());
    });
}

TEST_CASE("a chain of backups grows by what its chunks take if the disk has no room for more") {
    WorkerWorld world;
    run_backup(world, [](WorkerWorld& w, sim::Backup& backup, ums::TaskGroup& tasks) -> ums::Task<void> {
        const sim::SimFile* const chain = w.parts->backup_files.chain.get();
        w.storage.set_rule([chain](const ums::IoRequest& request) {
            const bool is_growth = request.operation == ums::IoOperation::allocate && request.owner == chain;
            return Fate{.error = is_growth && request.size_bytes > (1U << 20) ? ENOSPC : 0};
        });
        start_backup(w, backup, tasks);
        co_await w.sleep_ms(500);
        co_await end_main_run(w, tasks);
        co_await backup.finish();
        INFO(w.sink.text());
        CHECK(backup.result().full.count == 1);
        CHECK(backup.result().broken_chains == 0);
        CHECK(chain->size_bytes() < (1U << 20));
        CHECK(w.sink.count_of(sim::Severity::warning, "cannot grow beyond") == 0);
    });
}

TEST_CASE("a stripe that cannot grow gives back what the system has allocated of it") {
    WorkerWorld world;
    run_backup(world, [](WorkerWorld& w, sim::Backup& backup, ums::TaskGroup& tasks) -> ums::Task<void> {
        const sim::SimFile* const stripe = &w.parts->backup_files.data_files.front()->file;
        bool is_refused = false;
        bool is_given_back = false;
        w.storage.set_rule([&](const ums::IoRequest& request) {
            const bool is_growth = request.owner == stripe && request.operation == ums::IoOperation::allocate;
            const bool is_cut = request.owner == stripe && request.operation == ums::IoOperation::truncate;
            is_given_back = is_given_back || (is_refused && is_cut && request.offset_bytes == sim::kPageBytes);
            is_refused = is_refused || is_growth;
            return Fate{.error = is_growth ? ENOSPC : 0};
        });
        start_backup(w, backup, tasks);
        co_await w.sleep_ms(500);
        CHECK(is_refused);
        CHECK(is_given_back);
        CHECK(w.sink.count_of(sim::Severity::warning, "cannot be made 8 MB large") == 1);
        w.storage.set_rule(nullptr);
        co_await end_main_run(w, tasks);
        co_await backup.finish();
        INFO(w.sink.text());
        CHECK(backup.result().full.count == 1);
    });
}

TEST_CASE("a chain of backups gives back the room that its chunks have not taken if a stripe needs it") {
    WorkerWorld world;
    run_backup(world, [](WorkerWorld& w, sim::Backup& backup, ums::TaskGroup& tasks) -> ums::Task<void> {
        const sim::SimFile* const chain = w.parts->backup_files.chain.get();
        const sim::SimFile* const stripe = &w.parts->backup_files.data_files.front()->file;
        w.storage.set_rule([chain, stripe](const ums::IoRequest& request) {
            const bool is_growth = request.operation == ums::IoOperation::allocate && request.owner == stripe;
            return Fate{.error = is_growth && chain->size_bytes() > (1U << 20) ? ENOSPC : 0};
        });
        start_backup(w, backup, tasks);
        co_await w.sleep_ms(500);
        co_await end_main_run(w, tasks);
        co_await backup.finish();
        INFO(w.sink.text());
        CHECK(backup.result().full.count == 1);
        CHECK(backup.result().broken_chains == 0);
        CHECK(chain->size_bytes() < (1U << 20));
        CHECK(w.sink.findings().empty());
    });
}

TEST_CASE("the log is backed up while a backup is read back, however long that takes, and these backups are read back after it") {
    WorkerWorld world;
    world.options.backup_user.log_interval_s = 3600;
    run_backup(world, [](WorkerWorld& w, sim::Backup& backup, ums::TaskGroup& tasks) -> ums::Task<void> {
        hold_requests(w, ums::IoOperation::read, w.parts->backup_files.data_files.front()->file);
        start_backup(w, backup, tasks);
        co_await wait_for_held(w.storage, w.clock);
        // More than three quarters of the log.
        for (std::uint32_t page = 100; page < 300; ++page) {
            co_await w.change_page(page, 32 << 10);
            co_await w.sleep_ms(1);
        }
        co_await w.parts->checkpoint->run_once();
        CHECK(backup.result().full.count == 1);
        CHECK(backup.result().verified.count == 0);
        CHECK(backup.result().log.count >= 2);
        w.storage.set_rule(nullptr);
        w.storage.release_held();
        co_await w.sleep_ms(500);
        CHECK(backup.result().verified.count == 1 + backup.result().log.count);
        co_await end_main_run(w, tasks);
        co_await backup.finish();
        INFO(w.sink.text());
        CHECK(backup.result().broken_chains == 0);
        CHECK(backup.result().full.count == 1);
        CHECK(w.sink.findings().empty());
    });
}

TEST_CASE("a differential backup is made when it is due, even if reading log backups back takes longer than the next one") {
    WorkerWorld world;
    world.options.backup_user.log_interval_s = 1;
    world.options.backup_user.differential_interval_s = 5;
    run_backup(world, [](WorkerWorld& w, sim::Backup& backup, ums::TaskGroup& tasks) -> ums::Task<void> {
        const std::int32_t chain_file = w.parts->backup_files.chain->transfer_handle().value;
        w.storage.set_rule([chain_file](const ums::IoRequest& request) {
            const bool is_slow = request.operation == ums::IoOperation::read && request.file.value == chain_file;
            return Fate{.delay_ns = is_slow ? 2 * ums::kNsPerSecond : 0};
        });
        start_backup(w, backup, tasks);
        for (std::uint32_t page = 100; page < 220; ++page) {
            co_await w.change_page(page);
            co_await w.sleep_ms(1000);
        }
        CHECK(backup.result().differential.count >= 2);
        w.storage.set_rule(nullptr);
        co_await end_main_run(w, tasks);
        co_await backup.finish();
        INFO(w.sink.text());
        const sim::BackupResult result = backup.result();
        CHECK(result.broken_chains == 0);
        CHECK(result.verified.count == result.full.count + result.differential.count + result.log.count);
        CHECK(w.sink.findings().empty());
    });
}

TEST_CASE("a chain whose log was reused before its last backup is followed by a full backup, although the main run is over") {
    WorkerWorld world;
    world.options.backup_user.log_interval_s = 3600;
    run_backup(world, [](WorkerWorld& w, sim::Backup& backup, ums::TaskGroup& tasks) -> ums::Task<void> {
        start_backup(w, backup, tasks);
        co_await w.sleep_ms(500);
        co_await end_main_run(w, tasks);
        CHECK(backup.result().full.count == 1);
        // More than three quarters of the log.
        for (std::uint32_t page = 100; page < 300; ++page) co_await w.change_page(page, 32 << 10);
        co_await w.parts->checkpoint->run_once();
        co_await backup.finish();
        INFO(w.sink.text());
        CHECK(backup.result().broken_chains == 1);
        CHECK(backup.result().full.count == 2);
        CHECK_FALSE(w.state.is_stopping());
    });
}

TEST_CASE("no log is kept for a chain while it is restored before the next full backup replaces it") {
    WorkerWorld world;
    world.options.backup_user.restore_folder = "/memory";
    world.options.backup_user.full_interval_s = 1;
    world.options.backup_user.log_interval_s = 3600;
    run_backup(world, [](WorkerWorld& w, sim::Backup& backup, ums::TaskGroup& tasks) -> ums::Task<void> {
        hold_requests(w, ums::IoOperation::write, w.parts->backup_files.data_files.back()->file);
        start_backup(w, backup, tasks);
        co_await w.sleep_ms(1000);
        co_await wait_for_held(w.storage, w.clock);
        // More than one of the four virtual log files.
        const std::uint64_t first_lsn = co_await w.change_page(100, 32 << 10);
        for (std::uint32_t page = 101; page < 180; ++page) co_await w.change_page(page, 32 << 10);
        co_await w.parts->checkpoint->run_once();
        CHECK_FALSE(w.keeps_log_of(first_lsn));
        w.storage.set_rule(nullptr);
        w.storage.release_held();
        co_await end_main_run(w, tasks);
        co_await backup.finish();
        INFO(w.sink.text());
        CHECK(backup.result().restored.count == 2);
        CHECK(backup.result().broken_chains == 0);
        CHECK(w.sink.findings().empty());
    });
}
