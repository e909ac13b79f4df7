// Which files a run's backups use: foreign files are refused, space is checked before anything is created,
// and what is not to be kept is removed.
#include "sim/backup/backup_files.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "sim/errors.hpp"
#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/units.hpp"
#include "ums/io/forwarding_storage.hpp"

using namespace sim::testing;
using sim::FileRole;
using sim::Options;
using sim::Outcome;
using sim::Phase;
using sim::Results;

namespace {

// Has 20 MB free, whatever the disk below has.
struct LittleSpace final : ums::ForwardingStorage {
    using ums::ForwardingStorage::ForwardingStorage;
    std::error_code free_space(const std::string& /*path*/, std::uint64_t& free_bytes) override {
        free_bytes = 20 * ums::kMb;
        return {};
    }
};

}  // namespace

TEST_CASE("the list of backup folders is split, and the stripes are distributed over them in turn") {
    CHECK(sim::backup_folders("/a|/b/||/c d") == std::vector<std::string>{"/a", "/b/", "/c d"});
    Options options = quiet_options("/data");
    options.backup_user.folders = "/a|/b/";
    options.backup_user.stripes_per_folder = 2;
    options.backup_user.restore_folder = "/r";
    const auto files = sim::backup_files(options);
    REQUIRE(files.size() == 6);
    CHECK(files[0].path == "/a/ioproof_backup_1.bak");
    CHECK(files[1].path == "/b/ioproof_backup_2.bak");
    CHECK(files[2].path == "/a/ioproof_backup_3.bak");
    CHECK(files[4].path == "/r/restored_1_data.mdx");
    CHECK(files[4].role == FileRole::restored);
    CHECK(files[5].path == "/a/ioproof_backup.trn");
    CHECK(files[5].role == FileRole::backup_chain);
    // Two of the eight megabytes each, and the signature page.
    CHECK(files[0].initial_size_mb == 3);
    options.backup_user.differential_interval_s = 1;
    CHECK(sim::backup_files(options)[0].initial_size_mb == 5);
    options.job = sim::Job::verify;
    CHECK(sim::backup_files(options).empty());
}

TEST_CASE("a backup never replaces a file that is not ours, and the run then creates nothing") {
    for (const char* const name : {"ioproof_backup_1.bak", "ioproof_backup.trn", "restored_1_data.mdx"}) {
        RealRun run;
        Options options = quiet_options(run.folder.path());
        options.backup_user.folders = options.backup_user.restore_folder = run.folder.path();
        std::ofstream(run.folder.file(name)) << "the only copy";
        CHECK_THROWS_AS(run.run(options), sim::RefusedError);
        CHECK(std::filesystem::file_size(run.folder.file(name)) == 13);
        CHECK_FALSE(std::filesystem::exists(run.folder.file("data.mdx")));
    }
}

TEST_CASE("if there is no room for a backup, the run says so before it creates a file") {
    RealRun run;
    LittleSpace storage(run.posix);
    Options options = quiet_options(run.folder.path());
    options.backup_user.folders = run.folder.path();
    options.backup_user.differential_interval_s = 1;
    CHECK_THROWS_WITH(sim::Simulation(options, storage, run.clock, run.sink).run(), ContainsSubstring("not enough space"));
    CHECK(run.folder.is_empty());
    options.backup_user.folders.clear();
    CHECK(sim::Simulation(options, storage, run.clock, run.sink).run().outcome == Outcome::passed);
}

TEST_CASE("backups and restored files are removed at the end of the run, unless they are to be kept or something was wrong") {
    RealRun run;
    Options options = quiet_options(run.folder.path());
    options.backup_user.folders = options.backup_user.restore_folder = run.folder.path();
    const auto is_there = [&run](const char* name) { return std::filesystem::exists(run.folder.file(name)); };
    SECTION("removed") {
        CHECK(run.run(options).outcome == Outcome::passed);
        CHECK(is_there("data.mdx"));
        CHECK_FALSE(is_there("ioproof_backup_1.bak"));
        CHECK_FALSE(is_there("ioproof_backup.trn"));
        CHECK_FALSE(is_there("restored_1_data.mdx"));
    }
    SECTION("kept") {
        options.backup_user.keep_files = true;
        CHECK(run.run(options).outcome == Outcome::passed);
        CHECK(is_there("ioproof_backup_1.bak"));
        CHECK(is_there("ioproof_backup.trn"));
        CHECK(is_there("restored_1_data.mdx"));
    }
    SECTION("stopped") {
        const Results results = run.run(options, [](sim::Simulation& simulation) {
            CHECK(wait_for_phase(simulation, Phase::main_run));
            simulation.request_stop();
        });
        CHECK(results.outcome == Outcome::stopped);
        CHECK_FALSE(is_there("ioproof_backup_1.bak"));
        CHECK_FALSE(is_there("restored_1_data.mdx"));
    }
}
