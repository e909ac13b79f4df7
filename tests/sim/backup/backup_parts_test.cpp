#include "sim/backup/backup_parts.hpp"

#include "tests/sim/support/worker_world.hpp"
#include "tests/support/catch.hpp"

using sim::testing::WorkerWorld;

TEST_CASE("a backup takes the size of a file when nobody is changing it") {
    WorkerWorld world;
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        sim::SimFile& file = w.data().file;
        const std::uint32_t pages_before = file.pages();
        std::uint32_t found = 0;
        auto look = [](sim::DataFile& data, std::uint32_t& pages) -> ums::Task<void> {
            pages = co_await sim::BackupParts::settled_pages(data);
        };
        ums::TaskGroup readers;
        co_await file.resize_latch().acquire_exclusive(ums::WaitType::file_resize);
        ums::Scheduler::current().fork(readers, look(w.data(), found));
        for (int i = 0; i < 10; ++i) co_await ums::Scheduler::current().yield();
        CHECK(found == 0);
        const std::error_code error = co_await file.resize(std::uint64_t{pages_before - 8} * sim::kPageBytes);
        CHECK_FALSE(error);
        file.resize_latch().release_exclusive();
        co_await readers.join();
        CHECK(found == pages_before - 8);
    });
}
