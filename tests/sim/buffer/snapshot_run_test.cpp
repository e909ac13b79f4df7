// Runs with a replica, a copy-on-write snapshot: a page is copied once, before its first change, and the audit users read through it. In
// virtual time.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/files/file_names.hpp"
#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using sim::FindingKind;
using sim::kPageBytes;
using sim::Options;
using sim::Phase;
using sim::Results;

namespace {

Options snapshot_options(const std::string& folder, std::uint64_t seed) {
    Options options = busy_options(folder);
    options.seed = seed;
    options.audit_user.user_count = 2;
    options.files[0].increment_mb = 1;
    options.files[0].shrinkable = true;
    options.shrink_user = {.min_interval_s = 1, .max_interval_s = 1, .min_extends = 1, .max_extends = 4};
    options.test_cycle_duration_s = 3;
    options.files.push_back({.path = options.files[0].path + ":replica", .initial_size_mb = 1, .max_size_mb = 1, .sparse = true});
    return options;
}

bool is_replica(const std::string& path) { return path.ends_with(":replica"); }

// Pages of the main run by file, in the order of posting: the recorder records a request when it is posted.
struct PageTrace {
    std::map<std::uint32_t, std::size_t> copied;         // when its first copy was posted
    std::map<std::uint32_t, std::size_t> first_written;  // when the first write of the source's page was posted
    std::size_t copies = 0;
    std::size_t reads_of_replica = 0;
};

PageTrace trace_of(const RecordingStorage& storage) {
    PageTrace trace;
    std::size_t when = 0;
    for (const Recorded& request : storage.requests()) {
        ++when;
        if (request.tag != static_cast<int>(Phase::main_run) || request.path.ends_with(".ldx")) continue;
        if (is_read(request) && is_replica(request.path)) ++trace.reads_of_replica;
        if (!is_write(request)) continue;
        const auto first = static_cast<std::uint32_t>(request.offset_bytes / kPageBytes);
        for (std::uint32_t page = first; page < first + request.size_bytes / kPageBytes; ++page) {
            if (is_replica(request.path)) ++trace.copies;
            (is_replica(request.path) ? trace.copied : trace.first_written).try_emplace(page, when);
        }
    }
    return trace;
}

}  // namespace

TEST_CASE("a replica belongs to the data file whose stream it is, provided that it is sparse") {
    std::vector<sim::FileOptions> files{{.path = "d/a.mdx", .initial_size_mb = 4, .max_size_mb = 8},
                                        {.path = "d/a.ldx", .initial_size_mb = 4, .max_size_mb = 4, .is_log = true},
                                        {.path = "d/a.mdx:replica", .initial_size_mb = 1, .max_size_mb = 2, .sparse = true}};
    CHECK(sim::source_of_replica(files[0], files) == nullptr);
    REQUIRE(sim::source_of_replica(files[2], files) == &files[0]);
    sim::fit_replicas(files);
    CHECK(files[2].max_size_mb == 8);
    files[2].sparse = false;
    CHECK(sim::source_of_replica(files[2], files) == nullptr);
    files[2].sparse = true;
    files[2].path = "d/a.ldx:replica";
    CHECK(sim::source_of_replica(files[2], files) == nullptr);
}

TEST_CASE("a data file has one replica: further streams of it, streams of a stream and streams of tempdb are files as others") {
    std::vector<sim::FileOptions> files{{.path = "d/a.mdx", .initial_size_mb = 4, .max_size_mb = 8},
                                        {.path = "d/a.mdx:one", .initial_size_mb = 1, .max_size_mb = 2, .sparse = true},
                                        {.path = "d/a.mdx:two", .initial_size_mb = 1, .max_size_mb = 2, .sparse = true},
                                        {.path = "d/a.mdx:one:more", .initial_size_mb = 1, .max_size_mb = 2, .sparse = true},
                                        {.path = "d/tempdb1.mdx", .initial_size_mb = 4, .max_size_mb = 8, .is_tempdb = true},
                                        {.path = "d/tempdb1.mdx:one", .initial_size_mb = 1, .max_size_mb = 2, .sparse = true}};
    CHECK(sim::source_of_replica(files[1], files) == &files[0]);
    for (const std::size_t other : {2U, 3U, 5U}) {
        CAPTURE(other);
        CHECK(sim::source_of_replica(files[other], files) == nullptr);
        CHECK_FALSE(sim::is_transient(files[other], files));
    }
}

TEST_CASE("the second replica of a file is a data file: it is logged, verified and taken over like any other") {
    VirtualRun run;
    Options options = busy_options(VirtualRun::kFolder);
    options.test_cycle_duration_s = 1;
    for (const char* stream : {":one", ":two"}) {
        options.files.push_back({.path = options.files[0].path + stream, .initial_size_mb = 8, .max_size_mb = 8, .sparse = true});
    }
    REQUIRE(run.run(options).outcome == sim::Outcome::passed);
    for (const sim::Job job : {sim::Job::verify, sim::Job::resume}) {
        options.job = job;
        const Results results = run.run(options);
        CAPTURE(results.outcome_reason);
        CHECK(results.outcome == sim::Outcome::passed);
    }
}

TEST_CASE("each page is copied once, before its first change, and the audit users read the copies") {
    for (const std::uint64_t seed : {1ULL, 2ULL, 3ULL, 4ULL}) {
        INFO("seed " << seed);
        VirtualRun run;
        Options options = snapshot_options(VirtualRun::kFolder, seed);
        options.use_scatter_gather = seed % 2 == 0;
        options.write_through = seed != 3;
        const Results results = run.run(
            options, [&](sim::Simulation& simulation) { run.storage.set_tagger([&] { return static_cast<int>(simulation.phase()); }); });
        CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
        const PageTrace trace = trace_of(run.storage);
        CHECK(trace.copies > 100);
        CHECK(trace.copies == trace.copied.size());
        CHECK(trace.reads_of_replica > 0);
        const std::uint32_t snapshot_pages = 1024;  // of 8 MB
        std::size_t late = 0;
        for (const auto& [page, when] : trace.first_written) {
            if (page == 0 || page >= snapshot_pages) continue;
            const auto copy = trace.copied.find(page);
            if (copy == trace.copied.end() || copy->second >= when) ++late;
        }
        CHECK(late == 0);
        CHECK(user(results, "Snapshot").pages_updated == trace.copies);
        CHECK(results.files[2].pages_verified > 0);
    }
}

TEST_CASE("only the audit users read through a snapshot") {
    VirtualRun run;
    Options options = snapshot_options(VirtualRun::kFolder, 7);
    options.audit_user.user_count = 0;
    const Results results = run.run(
        options, [&](sim::Simulation& simulation) { run.storage.set_tagger([&] { return static_cast<int>(simulation.phase()); }); });
    CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
    const PageTrace trace = trace_of(run.storage);
    CHECK(trace.copies > 100);
    CHECK(trace.copies == trace.copied.size());
    CHECK(trace.reads_of_replica == 0);
}

TEST_CASE("each cycle has its own snapshot") {
    VirtualRun run;
    Options options = snapshot_options(VirtualRun::kFolder, 5);
    options.test_cycles = 2;
    const Results results = run.run(options);
    CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
    CHECK(user(results, "Snapshot").cycles == 2);
}

TEST_CASE("a replica has room for a file that is larger than its MaxSize because it existed") {
    const bool is_resumed = GENERATE(false, true);
    VirtualRun run;
    Options options = busy_options(VirtualRun::kFolder);
    options.files[0].initial_size_mb = options.files[0].max_size_mb = 32;
    REQUIRE(run.run(options).outcome == sim::Outcome::passed);
    options.files[0].initial_size_mb = options.files[0].max_size_mb = 8;
    options.files.push_back({.path = options.files[0].path + ":replica", .initial_size_mb = 1, .max_size_mb = 1, .sparse = true});
    options.delete_files_at_startup = false;
    options.job = is_resumed ? sim::Job::resume : sim::Job::run;
    const Results results = run.run(options);
    CHECK(results.outcome == sim::Outcome::passed);
    CHECK(results.files[0].size_bytes == 32 << 20);
    CHECK(results.files[2].size_bytes == results.files[0].size_bytes);
    CHECK(user(results, "Snapshot").pages_updated > 0);
}

TEST_CASE("a copy that is damaged in the snapshot's file is found and reported there") {
    VirtualRun run;
    Options options = snapshot_options(VirtualRun::kFolder, 6);
    options.stop_on_error = false;
    bool has_rotted = false;
    run.storage.set_tamper([&](ums::IoRequest& request, const std::string& path) {
        if (has_rotted || !is_replica(path) || request.operation != ums::IoOperation::read || request.owner == nullptr) return;
        has_rotted = true;
        static_cast<std::byte*>(request.segments[0].data)[4000] ^= std::byte{0x10};
    });
    const Results results = run.run(options);
    CHECK(has_rotted);
    REQUIRE(run.sink.findings().size() == 1);
    CHECK(run.sink.findings()[0].kind == FindingKind::bit_corruption);
    CHECK(is_replica(run.sink.findings()[0].place.path));
    CHECK(results.files[2].findings == 1);
}

TEST_CASE("SnapshotCheck reads complete files through new snapshots, one after the other, again and again") {
    VirtualRun run;
    Options options = quiet_options(VirtualRun::kFolder);
    options.files.push_back({.path = std::string(VirtualRun::kFolder) + "/second.mdx", .initial_size_mb = 4, .max_size_mb = 4});
    for (const std::size_t source : {std::size_t{0}, std::size_t{2}}) {
        const std::string path = options.files[source].path + ":replica";
        options.files.push_back({.path = path, .initial_size_mb = 1, .max_size_mb = 1, .sparse = true});
    }
    options.audit_user.checks_snapshot = true;
    const Results results = run.run(
        options, [&](sim::Simulation& simulation) { run.storage.set_tagger([&] { return static_cast<int>(simulation.phase()); }); });
    CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
    // What was read in a row, up to a change of the file; the end of the main run cuts the last one short.
    std::vector<std::pair<std::string, std::uint64_t>> rows;
    for (const Recorded& request : run.storage.requests()) {
        if (request.tag != static_cast<int>(Phase::main_run) || !is_read(request) || request.path.ends_with(".ldx")) continue;
        if (rows.empty() || rows.back().first != request.path) rows.emplace_back(request.path, 0);
        CHECK(request.offset_bytes == rows.back().second);
        rows.back().second += request.size_bytes;
    }
    REQUIRE(rows.size() > 4);
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
        const bool is_first = rows[i].first == options.files[0].path;
        CHECK((is_first || rows[i].first == options.files[2].path));
        CHECK(rows[i].second == (is_first ? 8U : 4U) << 20);
    }
    CHECK(user(results, "SnapshotCheck").cycles + 1 >= rows.size());
}

TEST_CASE("SnapshotCheckDelay is the pause between two checks, and without SnapshotCheck there is none") {
    const auto checks = [](bool is_on, std::uint32_t delay_s) -> std::uint64_t {
        VirtualRun run;
        Options options = quiet_options(VirtualRun::kFolder);
        options.test_cycle_duration_s = 5;
        options.files.push_back({.path = options.files[0].path + ":replica", .initial_size_mb = 1, .max_size_mb = 1, .sparse = true});
        options.audit_user.checks_snapshot = is_on;
        options.audit_user.snapshot_check_delay_s = delay_s;
        const Results results = run.run(options);
        CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
        const auto is_check = [](const sim::UserResult& each) { return each.name == "SnapshotCheck"; };
        const auto found = std::find_if(results.users.begin(), results.users.end(), is_check);
        return found == results.users.end() ? 0 : found->cycles;
    };
    CHECK(checks(false, 0) == 0);
    CHECK(checks(true, 0) > 20);
    CHECK(checks(true, 2) == 3);
}
