// [CONFIG]: what happens to existing files, and to those that a run has created. In virtual time, on a disk in memory.
#include <algorithm>

#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/units.hpp"

using namespace sim::testing;
using sim::kPageBytes;
using sim::Options;
using sim::Phase;
using sim::Results;
using ums::kMb;

TEST_CASE("DeleteFilesAtStartup FALSE keeps a larger file and extends a smaller one") {
    for (const bool delete_files : {true, false}) {
        VirtualRun run;
        Options options = quiet_options(VirtualRun::kFolder);
        options.delete_files_at_startup = delete_files;
        CHECK(run.run(options).outcome == sim::Outcome::passed);
        options.files[0].initial_size_mb = 2;
        const Results smaller = run.run(options);
        CHECK(smaller.files.at(0).size_bytes == (delete_files ? 2 * kMb : 8 * kMb));
        CHECK(phase(smaller, Phase::final_audit).pages_verified == smaller.files.at(0).size_bytes / kPageBytes);
        options.files[0].initial_size_mb = 12;
        const Results larger = run.run(options);
        CHECK(larger.files.at(0).size_bytes == 12 * kMb);
        CHECK(what_is_wrong(options, larger, run.sink, run.storage) == "");
    }
}

TEST_CASE("an existing file that ends in a part of a MB is used completely, and may grow") {
    VirtualRun run;
    Options options = quiet_options(VirtualRun::kFolder);
    CHECK(run.run(options).outcome == sim::Outcome::passed);
    sim::testing::MemoryFile& file = *run.memory.find(options.files[0].path);
    file.resize(8 * kMb + kMb / 2);
    std::fill_n(file.chunk(8 * kMb + kPageBytes), 100, std::byte{0xee});
    options.delete_files_at_startup = false;
    options.files[0].shrinkable = true;
    options.files[0].increment_mb = 1;
    options.shrink_user = {.min_interval_s = 1, .max_interval_s = 1, .min_extends = 1, .max_extends = 2};
    options.audit_user = {.user_count = 1, .buffers_validated_pages = 64, .delay_after_cycles = 1, .delay_ms = 5};
    options.test_cycle_duration_s = 20;
    const Results results = run.run(options);
    CHECK(results.files.at(0).grown_count > 3);
    CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
}

TEST_CASE("DeleteFilesAtShutdown leaves no files behind") {
    for (const bool delete_files : {true, false}) {
        VirtualRun run;
        Options options = quiet_options(VirtualRun::kFolder);
        options.delete_files_at_shutdown = delete_files;
        CHECK(run.run(options).outcome == sim::Outcome::passed);
        CHECK(run.memory.file_count() == (delete_files ? 0 : 2));
        CHECK(run.memory.open_count() == 0);
    }
}

TEST_CASE("files are stamped with at most MaxOutstandingIO requests at a time") {
    VirtualRun run(random_disk(1, 1000, 3000));
    Options options = quiet_options(VirtualRun::kFolder);
    options.stamp_files = true;
    options.max_outstanding_io = 3;
    const Results results = run.run(options);
    CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
    CHECK(run.storage.in_flight_max() == 3);
}
