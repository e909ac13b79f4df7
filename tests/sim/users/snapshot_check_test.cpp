// Checks of complete files through snapshots. In virtual time, on files in memory.
#include <cerrno>
#include <cstdint>

#include "sim/users/users.hpp"
#include "tests/sim/support/worker_world.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;

TEST_CASE("a check whose snapshot cannot be taken does not count, and is tried again a second later, without SnapshotCheckDelay, too") {
    WorkerWorld world;
    world.add_replica(8);
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        const std::int32_t replica = w.parts->data_files.at(1)->file.control_handle().value;
        w.storage.set_rule([replica](const ums::IoRequest& request) {
            const bool fails = request.operation == ums::IoOperation::truncate && request.file.value == replica;
            return Fate{.error = fails ? ENOSPC : 0, .delay_ns = fails ? ums::kNsPerMs : 0};
        });
        w.state.release_users();
        ums::TaskGroup tasks;
        (*w.schedulers)[0].spawn(tasks, "Snapshot Check", sim::run_snapshot_check(w.context()));
        co_await w.sleep_ms(2500);
        w.state.end_users();
        co_await tasks.join();
        CHECK(w.sink.count_of(sim::Severity::warning, "could be taken there") == 3);
        CHECK(w.context().snapshot_checks.cycles == 0);

        w.storage.set_rule(nullptr);
        w.state.users_have_ended();
        w.state.release_users();
        (*w.schedulers)[0].spawn(tasks, "Snapshot Check", sim::run_snapshot_check(w.context()));
        co_await w.sleep_ms(2500);
        w.state.end_users();
        co_await tasks.join();
        CHECK(w.context().snapshot_checks.cycles > 1);
    });
}
