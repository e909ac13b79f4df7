#include "sim/backup/backup_parts.hpp"

#include <cerrno>
#include <cstdint>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "tests/sim/support/run_fixture.hpp"
#include "tests/sim/support/worker_world.hpp"
#include "tests/support/catch.hpp"
#include "ums/io/forwarding_storage.hpp"

using namespace sim::testing;

namespace {

// Refuses one sync of a file whose name ends so: the one with which its cached pages are dropped.
class StorageThatRefusesOnce final : public ums::ForwardingStorage {
public:
    StorageThatRefusesOnce(ums::Storage& inner, std::string name_end) : ForwardingStorage(inner), name_end_(std::move(name_end)) {}
    std::error_code open(const std::string& path, const ums::OpenOptions& options, ums::FileHandle& file) override {
        const std::error_code error = ForwardingStorage::open(path, options, file);
        if (!error && path.ends_with(name_end_)) handles_.insert(file.value);
        return error;
    }
    std::error_code drop_cache(ums::FileHandle file) override {
        return handles_.contains(file.value) ? std::exchange(error_, {}) : std::error_code{};
    }

private:
    const std::string name_end_;
    std::set<std::int32_t> handles_;
    std::error_code error_{EIO, std::system_category()};
};

}  // namespace

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

TEST_CASE("a flush that fails only once, before a backup or a restored file is read back, is a finding and fails the run") {
    const std::string name_end = GENERATE("backup_1.bak", "backup.trn", "restored_1_data.mdx");
    VirtualRun run;
    StorageThatRefusesOnce storage(run.storage, name_end);
    sim::Options options = quiet_options(VirtualRun::kFolder);
    options.backup_user.folders = options.backup_user.restore_folder = VirtualRun::kFolder;
    options.stop_on_error = false;
    const sim::Results results = sim::Simulation(options, storage, run.clock, run.sink).run();
    INFO(run.sink.text());
    CHECK(results.outcome == sim::Outcome::failed);
    CHECK_THAT(results.outcome_reason, ContainsSubstring(name_end + ": cannot be synced: Input/output error"));
    REQUIRE(results.findings.size() == 1);
    CHECK(results.findings[0].request.of_file == sim::FileRequest::sync);
    CHECK(results.findings[0].place.path.ends_with(name_end));
}
