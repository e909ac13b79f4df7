// [ColumnstoreUser], [TempdbUser], [VersionStoreUser]: every parameter changes what the users do. In virtual time, on a disk in memory.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "sim/context/tempdb_space.hpp"
#include "sim/files/file_names.hpp"
#include "sim/limits.hpp"
#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using sim::kPageBytes;
using sim::Options;
using sim::Phase;
using sim::Results;
using sim::UserResult;

namespace {

constexpr std::uint64_t kExtentBytes = std::uint64_t{sim::kExtentPages} * kPageBytes;

struct RecentRun {
    Results results;
    std::vector<Recorded> requests;  // of the main run, to data files
};

// With enough memory for requests of 2 MB.
Options nobody() {
    Options options = quiet_options(VirtualRun::kFolder);
    options.max_memory_mb = 16;
    options.files[0].initial_size_mb = options.files[0].max_size_mb = 32;
    return options;
}

RecentRun run_recent(const Options& options) {
    VirtualRun run;
    RecentRun ran;
    ran.results = run.run(options, [&](sim::Simulation& simulation) {
        run.storage.set_tagger([&simulation] { return static_cast<int>(simulation.phase()); });
    });
    CHECK(what_is_wrong(options, ran.results, run.sink, run.storage) == "");
    ran.requests = run.storage.select([](const Recorded& request) {
        return request.path.ends_with(".mdx") && request.tag == static_cast<int>(Phase::main_run) && request.of_load;
    });
    return ran;
}

std::set<std::uint64_t> sizes_of(const RecentRun& ran, bool (*is_meant)(const Recorded&)) {
    std::set<std::uint64_t> sizes;
    for (const Recorded& request : ran.requests) {
        if (is_meant(request)) sizes.insert(request.size_bytes);
    }
    return sizes;
}

bool is_in_tempdb(const Recorded& request) { return request.path.find("tempdb") != std::string::npos; }

Options columnstore() {
    Options options = nobody();
    options.columnstore_user = {.user_count = 2,
                                .min_segment_kb = 1024,
                                .max_segment_kb = 2048,
                                .bulk_load_chance = 0,
                                .row_group_segments = 2,
                                .delay_after_cycles = 1,
                                .delay_ms = 10};
    return options;
}

Options tempdb() {
    Options options = nobody();
    options.tempdb_user = {.user_count = 2,
                           .file_count = 3,
                           .file_size_mb = 2,
                           .min_spill_kb = 256,
                           .max_spill_kb = 512,
                           .delay_after_cycles = 1,
                           .delay_ms = 10};
    return options;
}

Options version_store() {
    Options options = nobody();
    options.version_store_user = {
        .user_count = 1, .min_pages = 4, .max_pages = 8, .store_pages = 64, .retention_ms = 100, .delay_after_cycles = 1, .delay_ms = 10};
    return options;
}

}  // namespace

TEST_CASE("without the users of later versions nothing of them shows, not even in the results") {
    const RecentRun ran = run_recent(nobody());
    CHECK(ran.results.files.size() == 2);
    for (const UserResult& each : ran.results.users) {
        CHECK(each.name != "ColumnstoreUser");
        CHECK(each.name != "TempdbUser");
        CHECK(each.name != "VersionStoreUser");
    }
}

TEST_CASE("columnstore, tempdb and version store users: UserCount -1 is two per CPU, and they pause after DelayAfterCycles steps") {
    const std::map<std::string, Options> all{
        {"ColumnstoreUser", columnstore()}, {"TempdbUser", tempdb()}, {"VersionStoreUser", version_store()}};
    for (const auto& [name, base] : all) {
        INFO(name);
        const auto with = [&base = base](std::int32_t users, std::uint32_t cycles, std::uint32_t delay_ms) {
            Options options = base;
            options.columnstore_user.delay_after_cycles = options.tempdb_user.delay_after_cycles =
                options.version_store_user.delay_after_cycles = cycles;
            options.columnstore_user.delay_ms = options.tempdb_user.delay_ms = options.version_store_user.delay_ms = delay_ms;
            for (std::int32_t* count :
                 {&options.columnstore_user.user_count, &options.tempdb_user.user_count, &options.version_store_user.user_count}) {
                if (*count != 0) *count = users;
            }
            return options;
        };
        CHECK(user(run_recent(with(-1, 1, 10)).results, name).count == 4);
        const std::uint64_t often = user(run_recent(with(1, 4, 200)).results, name).cycles;
        const std::uint64_t rare = user(run_recent(with(1, 1, 200)).results, name).cycles;
        CHECK(rare <= 6);
        CHECK(often > rare * 2);
        CHECK(often <= 24);
    }
}

TEST_CASE("a segment of MinSegmentKB to MaxSegmentKB is read with one request that starts at an extent") {
    const RecentRun ran = run_recent(columnstore());
    const std::set<std::uint64_t> sizes = sizes_of(ran, is_read);
    CHECK(sizes.size() > 4);
    CHECK(*sizes.begin() >= 1024 * 1024);
    CHECK(*sizes.rbegin() <= 2048 * 1024);
    for (const std::uint64_t size : sizes) CHECK(size % kExtentBytes == 0);
    for (const Recorded& request : ran.requests) CHECK(request.offset_bytes % kExtentBytes == 0);
    CHECK(sizes_of(ran, is_write).empty());
}

TEST_CASE("BulkLoadChance loads row groups of RowGroupSegments segments") {
    std::map<std::uint32_t, std::uint64_t> updated;
    for (const std::uint32_t segments : {1U, 4U}) {
        Options options = columnstore();
        options.columnstore_user.bulk_load_chance = 10'000;
        options.columnstore_user.max_segment_kb = 1024;
        options.columnstore_user.row_group_segments = segments;
        options.columnstore_user.delay_ms = 100;
        const RecentRun ran = run_recent(options);
        const UserResult& users = user(ran.results, "ColumnstoreUser");
        REQUIRE(users.cycles > 0);
        updated[segments] = users.pages_updated / users.cycles;
        CHECK(*sizes_of(ran, is_write).rbegin() == std::uint64_t{options.checkpoint_pages} * kPageBytes);
    }
    CHECK(updated[1] > 100);
    CHECK(updated[1] <= 128);
    CHECK(updated[4] > 400);
    CHECK(updated[4] <= 512);
}

TEST_CASE("a segment that does not fit into the pool is made smaller") {
    Options options = columnstore();
    options.columnstore_user.min_segment_kb = options.columnstore_user.max_segment_kb = 8192;
    const std::set<std::uint64_t> sizes = sizes_of(run_recent(options), is_read);
    CHECK(*sizes.rbegin() == (16ULL << 20) / 8);
}

TEST_CASE("sorts spill to all tempdb files in requests of 64 KB and read them back, and nothing of this is logged or durable") {
    const RecentRun ran = run_recent(tempdb());
    std::set<std::string> written;
    for (const Recorded& request : ran.requests) {
        if (!is_in_tempdb(request)) continue;
        if (is_write(request)) written.insert(request.path);
        CHECK_FALSE(request.durable);
        CHECK(request.size_bytes <= kExtentBytes);
        if (request.size_bytes == kExtentBytes) CHECK(request.offset_bytes % kExtentBytes == 0);
    }
    CHECK(written.size() == 3);
    const UserResult& users = user(ran.results, "TempdbUser");
    CHECK(users.log_bytes == 0);
    CHECK(users.pages_updated / users.cycles >= 4 * 8);
    CHECK(users.pages_updated / users.cycles <= 8 * 8);
    CHECK(users.pages_read <= users.pages_updated);
    CHECK(users.pages_read + 2 * 64 >= users.pages_updated);  // the last sort of each user may have been cut off
    REQUIRE(ran.results.files.size() == 5);
    CHECK(ran.results.files[2].size_bytes == 2 << 20);
}

TEST_CASE("MinSpillKB and MaxSpillKB bound the size of a spill, and what tempdb has no room for is not spilled") {
    Options options = tempdb();
    options.tempdb_user.user_count = 1;
    options.tempdb_user.min_spill_kb = options.tempdb_user.max_spill_kb = 1024;
    const UserResult all = user(run_recent(options).results, "TempdbUser");
    CHECK(all.pages_updated >= (all.cycles - 1) * 128);
    CHECK(all.pages_updated <= all.cycles * 128);
    // Three files of 31 extents.
    options.tempdb_user.min_spill_kb = options.tempdb_user.max_spill_kb = 100'000;
    const UserResult most = user(run_recent(options).results, "TempdbUser");
    CHECK(most.pages_updated >= (most.cycles - 1) * 93 * 8);
    CHECK(most.pages_updated <= most.cycles * 93 * 8);
}

TEST_CASE("the tempdb files are in their folder, relative to that of the first data file, and come after the others, once") {
    Options options = tempdb();
    sim::add_tempdb_files(options);
    sim::add_tempdb_files(options);
    REQUIRE(options.files.size() == 5);
    CHECK(options.files[2].path == std::string(VirtualRun::kFolder) + "/tempdb1.mdx");
    CHECK(options.files[4].path == std::string(VirtualRun::kFolder) + "/tempdb3.mdx");
    options.files.resize(2);
    options.tempdb_user.folder = "../fast";
    CHECK(sim::tempdb_folder(options) == "/fast");
    options.tempdb_user.folder = "/dev/shm";
    CHECK(sim::tempdb_folder(options) == "/dev/shm");
    options.tempdb_user.user_count = 0;
    sim::add_tempdb_files(options);
    CHECK(options.files.size() == 2);
}

TEST_CASE("tempdb starts anew in each run, whatever an earlier one left in its files") {
    VirtualRun run;
    Options options = tempdb();
    options.delete_files_at_startup = false;
    for (int i = 0; i < 2; ++i) {
        const Results results = run.run(options);
        CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
    }
}

TEST_CASE("versions are logged, read while they may be needed, checked when they have aged out, and their pages are reused") {
    const RecentRun ran = run_recent(version_store());
    const UserResult& users = user(ran.results, "VersionStoreUser");
    CHECK(users.log_bytes > 0);
    CHECK(users.pages_updated > 2 * 64);  // more than one lap
    CHECK(users.pages_read > 64);
}

TEST_CASE("MinPages and MaxPages bound the versions of a transaction") {
    for (const auto& [low, high] : {std::pair{4U, 4U}, {16U, 32U}}) {
        Options options = version_store();
        options.version_store_user.min_pages = low;
        options.version_store_user.max_pages = high;
        options.version_store_user.store_pages = 1024;
        const UserResult users = user(run_recent(options).results, "VersionStoreUser");
        REQUIRE(users.cycles > 10);
        CHECK(users.pages_updated > (users.cycles - 1) * low);
        CHECK(users.pages_updated <= users.cycles * high);
    }
}

TEST_CASE("RetentionTime and StorePages limit how many versions there can be") {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> updated;
    for (const std::uint32_t retention_ms : {50U, 800U}) {
        for (const std::uint32_t pages : {64U, 512U}) {
            Options options = version_store();
            options.version_store_user.retention_ms = retention_ms;
            options.version_store_user.store_pages = pages;
            options.version_store_user.min_pages = options.version_store_user.max_pages = 8;
            updated[{retention_ms, pages}] = user(run_recent(options).results, "VersionStoreUser").pages_updated;
        }
    }
    // Two fillings of a small store in a second, kept for 800 ms each.
    CHECK(updated[{800U, 64U}] <= 2 * 64);
    CHECK(updated[{50U, 64U}] > updated[{800U, 64U}] * 2);
    CHECK(updated[{800U, 512U}] > updated[{800U, 64U}] * 2);
}
