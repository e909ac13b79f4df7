// A run that gives up the locks on its files, as an owner does that is frozen. In virtual time, with a thread of its own.
#include <atomic>
#include <cstdint>
#include <thread>

#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"
#include "ums/io/forwarding_storage.hpp"

using namespace sim::testing;

// A sanitizer sees what goes wrong otherwise.
TEST_CASE("a run can give up its files at any time, also while its backup is being put together") {
    struct UnlockedAnyTime final : ums::ForwardingStorage {
        using ums::ForwardingStorage::ForwardingStorage;
        void unlock(ums::FileHandle /*file*/) override { ++count; }
        std::atomic<std::uint64_t> count{0};
    };
    VirtualRun run;
    sim::Options options = quiet_options(VirtualRun::kFolder);
    options.backup_user.folders = VirtualRun::kFolder;
    UnlockedAnyTime storage(run.storage);
    sim::Simulation simulation(options, storage, run.clock, run.sink);
    std::atomic<bool> has_begun{false};
    std::atomic<bool> is_over{false};
    std::thread freezer([&] {
        has_begun = true;
        while (!is_over) {
            simulation.release_locks();
            std::this_thread::yield();
        }
    });
    while (!has_begun) std::this_thread::yield();
    const sim::Results results = simulation.run();
    is_over = true;
    freezer.join();
    CHECK(results.outcome == sim::Outcome::passed);
    CHECK(storage.count > 0);
}
