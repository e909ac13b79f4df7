// A checkpoint that takes its time does not keep one waiting that has none. In virtual time, on files in memory.
#include <cstdint>

#include "sim/workers/checkpoint.hpp"
#include "tests/sim/support/worker_world.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using sim::Checkpoint;

TEST_CASE("an immediate checkpoint does not wait until an indirect one in progress has written its pages little by little") {
    constexpr std::uint32_t kPagesEnd = 150;
    constexpr std::uint64_t kRecordBytes = 32 << 10;  // all of them take more than a quarter of what the log may hold
    WorkerWorld world;
    world.options.recent.target_recovery_time_s = 60;
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        // An adjacent page would be written with it.
        for (std::uint32_t page = 11; page < kPagesEnd; page += 2) co_await w.change_page(page, kRecordBytes);
        Checkpoint checkpoint(w.context());
        ums::TaskGroup tasks;
        checkpoint.set_periodic(true);
        (*w.schedulers)[0].spawn(tasks, "Checkpoint", checkpoint.serve());
        co_await w.sleep_ms(5000);
        // One has begun, but there is no need to write: nothing is logged, and recovery would be short.
        CHECK(w.is_dirty(kPagesEnd - 1));
        CHECK(w.context().checkpoint.cycles == 0);
        (*w.schedulers)[0].spawn(tasks, "Backup", checkpoint.run_once());
        co_await w.sleep_ms(1000);
        CHECK(!w.is_dirty(kPagesEnd - 1));
        CHECK(w.context().checkpoint.cycles == 2);
        checkpoint.set_periodic(false);
        checkpoint.stop();
        co_await tasks.join();
    });
}

TEST_CASE("an immediate checkpoint does not wait for one in progress that has slowed down because writes take long") {
    constexpr std::uint32_t kPagesEnd = 400;
    WorkerWorld world;
    world.options.checkpoint_interval_ms = 500;
    world.options.recent.checkpoint_slow_write_ms = 1;
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        const std::int32_t file = w.data().file.transfer_handle().value;
        w.storage.set_rule([file](const ums::IoRequest& request) {
            const bool is_slow = request.operation == ums::IoOperation::write && request.file.value == file;
            return Fate{.delay_ns = (is_slow ? 50 : 0) * ums::kNsPerMs};
        });
        // An adjacent page would be written with it.
        for (std::uint32_t page = 1; page < kPagesEnd; page += 2) co_await w.change_page(page);
        Checkpoint checkpoint(w.context());
        ums::TaskGroup tasks;
        checkpoint.set_periodic(true);
        (*w.schedulers)[0].spawn(tasks, "Checkpoint", checkpoint.serve());
        co_await w.sleep_ms(1500);
        CHECK(w.is_dirty(kPagesEnd - 1));
        CHECK(w.context().checkpoint.cycles == 0);
        (*w.schedulers)[0].spawn(tasks, "Backup", checkpoint.run_once());
        co_await w.sleep_ms(2000);
        CHECK(!w.is_dirty(kPagesEnd - 1));
        CHECK(w.context().checkpoint.cycles >= 2);
        checkpoint.set_periodic(false);
        checkpoint.stop();
        co_await tasks.join();
        w.storage.set_rule(nullptr);
    });
}
