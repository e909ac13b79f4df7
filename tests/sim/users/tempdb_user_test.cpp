// What the users of tempdb do to its allocation pages. In virtual time, on files in memory.
#include "sim/context/tempdb_space.hpp"
#include "sim/files/file_names.hpp"
#include "sim/limits.hpp"
#include "sim/users/users.hpp"
#include "tests/sim/support/worker_world.hpp"
#include "tests/support/catch.hpp"
#include "ums/sched/task_group.hpp"

using namespace sim::testing;
using sim::TempdbSpace;

TEST_CASE(
    "allocations in tempdb take no version of the allocation page while it has not been written, or a run of days would use them up") {
    WorkerWorld world;
    world.options.tempdb_user = {.user_count = 1,
                                 .file_count = 1,
                                 .file_size_mb = 2,
                                 .min_spill_kb = 256,
                                 .max_spill_kb = 512,
                                 .delay_after_cycles = 1,
                                 .delay_ms = 1};
    sim::add_tempdb_files(world.options);
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        ums::TaskGroup users;
        (*w.schedulers)[0].spawn(users, "Tempdb User", sim::run_tempdb_user(w.context(), 1));
        co_await w.sleep_ms(200);
        w.state.end_users();
        co_await users.join();
        w.state.users_have_ended();
        CHECK(w.context().tempdb_user.pages_updated > 50 * sim::kExtentPages);
        sim::Frame* const frame = w.parts->pool->find({w.parts->data_files.at(1)->file.id(), TempdbSpace::kAllocationPage});
        REQUIRE(frame != nullptr);
        CHECK(frame->dirty);
        CHECK(frame->version == 1);
        w.parts->pool->unpin(*frame);
    });
}
