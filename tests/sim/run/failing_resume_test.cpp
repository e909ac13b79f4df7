// A run that is to continue with the files of an earlier one, and cannot begin.
#include <cstddef>
#include <functional>
#include <system_error>

#include "sim/errors.hpp"
#include "sim/run/simulation.hpp"
#include "tests/sim/support/left_run.hpp"
#include "tests/support/catch.hpp"
#include "ums/io/forwarding_storage.hpp"

using namespace sim::testing;

namespace {

// Calls `second` when a name is made durable for the second time, and returns what it returns.
struct SecondName final : ums::ForwardingStorage {
    using ums::ForwardingStorage::ForwardingStorage;
    std::error_code sync_name(ums::FileHandle file) override { return ++names == 2 ? second() : inner().sync_name(file); }

    std::function<std::error_code()> second;
    int names = 0;
};

sim::Options resumed_with_backups(const LeftRun& left) {
    sim::Options options = left.options;
    options.job = sim::Job::resume;
    options.delete_files_at_shutdown = true;
    options.backup_user.folders = options.backup_user.restore_folder = VirtualRun::kFolder;
    return options;
}

}  // namespace

TEST_CASE("a resume that cannot make one of its files leaves none of those behind that it has made") {
    LeftRun left;
    const std::size_t count = left.run.memory.file_count();
    SecondName storage(left.run.memory);
    storage.second = [] { return std::make_error_code(std::errc::no_space_on_device); };
    sim::Simulation simulation(resumed_with_backups(left), storage, left.run.clock, left.run.sink);
    CHECK_THROWS_AS(simulation.run(), sim::EnvironmentError);
    CHECK(storage.names == 2);
    CHECK(left.run.memory.file_count() == count);
}

TEST_CASE("a resume that is stopped while it makes its files removes each of them once") {
    LeftRun left;
    const std::size_t count = left.run.memory.file_count();
    SecondName storage(left.run.memory);
    sim::Simulation simulation(resumed_with_backups(left), storage, left.run.clock, left.run.sink);
    storage.second = [&simulation] {
        simulation.request_stop();
        return std::error_code{};
    };
    CHECK(simulation.run().outcome == sim::Outcome::stopped);
    CHECK(storage.names == 2);
    CHECK(left.run.memory.file_count() == count);
    CHECK(left.run.sink.count_of(sim::Severity::warning, "not deleted") == 0);
}
