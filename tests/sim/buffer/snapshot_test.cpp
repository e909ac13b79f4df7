// A replica is a copy-on-write snapshot: a page is copied once, before its first change, and the audit users read through it. In virtual
// time.
#include "sim/buffer/snapshot.hpp"

#include <algorithm>
#include <cerrno>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/files/file_names.hpp"
#include "tests/sim/support/run_fixture.hpp"
#include "tests/sim/support/worker_world.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/resident.hpp"
#include "ums/base/units.hpp"

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

namespace {

constexpr std::uint32_t kCopiedPage = 7;

ums::Task<void> change_and_write(WorkerWorld& world, std::uint32_t page) {
    sim::PageWriter writer = world.context().make_writer();
    co_await world.change_page(page);
    co_await writer.write_around(world.data(), page, true);
}

ums::Task<void> read_page(WorkerWorld& world, sim::Snapshot& snapshot) {
    sim::RangeReader reader = world.context().make_reader();
    co_await snapshot.read(reader, kCopiedPage, 1);
}

}  // namespace

TEST_CASE("a reader that has found a copy in a snapshot is not given the next snapshot's") {
    WorkerWorld world;
    world.add_replica(8);
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        sim::Snapshot& snapshot = *w.parts->snapshots.front();
        const sim::SimFile& replica = w.parts->data_files.back()->file;
        const std::int32_t transfers = replica.transfer_handle().value;
        const std::int32_t control = replica.control_handle().value;
        co_await change_and_write(w, kCopiedPage);
        co_await snapshot.take();
        co_await change_and_write(w, kCopiedPage);
        // The replica is emptied slowly, and what is read of it then comes late.
        w.storage.set_rule([transfers, control](const ums::IoRequest& request) {
            const bool empties = request.operation == ums::IoOperation::truncate && request.file.value == control;
            const bool reads = request.operation == ums::IoOperation::read && request.file.value == transfers;
            return Fate{.delay_ns = empties ? 10 * ums::kNsPerMs : 0, .hold = reads};
        });
        ums::TaskGroup tasks;
        (*w.schedulers)[0].spawn(tasks, "Snapshot", snapshot.take());
        co_await w.sleep_ms(1);
        (*w.schedulers)[0].spawn(tasks, "Reader", read_page(w, snapshot));
        co_await w.sleep_ms(50);
        co_await change_and_write(w, kCopiedPage);  // copies the page again
        w.storage.set_rule(nullptr);
        w.storage.release_held();
        co_await tasks.join();
    });
    CHECK(world.sink.findings().empty());
}

TEST_CASE("a new snapshot of a large file takes no memory for pages that the one before it did not have") {
    WorkerWorld world;
    world.add_replica(8);
    for (const std::size_t i : {0U, 2U}) {
        world.options.files[i].initial_size_mb = world.options.files[i].max_size_mb = 16U << 10;  // 32 MB of each ledger
        world.options.files[i].sparse = true;
    }
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        sim::Snapshot& snapshot = *w.parts->snapshots.front();
        co_await snapshot.take();
        co_await change_and_write(w, kCopiedPage);
        const std::uint64_t before_bytes = ums::testing::resident_bytes();
        co_await snapshot.take();
        CHECK(ums::testing::resident_bytes() < before_bytes + 8 * ums::kMb);
        CHECK(snapshot.pages() == 2U << 20);
        CHECK(w.parts->data_files.back()->ledger[kCopiedPage].version == 0);
    });
    CHECK(world.sink.findings().empty());
}

TEST_CASE("a snapshot of a large file takes no memory for pages that are not copied") {
    WorkerWorld world;
    world.add_replica(8);
    for (const std::size_t i : {0U, 2U}) {
        world.options.files[i].initial_size_mb = world.options.files[i].max_size_mb = 128U << 10;  // 16 million pages
        world.options.files[i].sparse = true;
    }
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        sim::DataFile& replica = *w.parts->data_files.back();
        const std::uint64_t before_bytes = ums::testing::resident_bytes();
        sim::Snapshot snapshot({}, w.data(), replica, *w.parts->buffers, w.state, w.journal, w.context().snapshots);
        co_await snapshot.take();
        CHECK(ums::testing::resident_bytes() < before_bytes + 8 * ums::kMb);
        CHECK(snapshot.pages() == 16U << 20);
        co_await snapshot.release();
    });
    CHECK(world.sink.findings().empty());
}

TEST_CASE("after a snapshot that finds no room there is none, not the one before it without its pages") {
    WorkerWorld world;
    world.add_replica(8);
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        sim::Snapshot& snapshot = *w.parts->snapshots.front();
        const std::int32_t control = w.parts->data_files.back()->file.control_handle().value;
        co_await snapshot.take();
        co_await change_and_write(w, kCopiedPage);
        CHECK(snapshot.pages() > 0);
        w.storage.set_rule([control](const ums::IoRequest& request) {
            const bool is_growth = request.operation == ums::IoOperation::truncate && request.offset_bytes > kPageBytes;
            return Fate{.error = is_growth && request.file.value == control ? ENOSPC : 0};
        });
        co_await snapshot.take();
        CHECK(snapshot.pages() == 0);
        co_await change_and_write(w, kCopiedPage + 1);  // is not copied
        w.storage.set_rule(nullptr);
        co_await snapshot.take();
        CHECK(snapshot.pages() > 0);
    });
    CHECK(world.sink.findings().empty());
}

TEST_CASE("a page that was copied for one snapshot is copied again for the next, and once for each") {
    WorkerWorld world;
    world.add_replica(8);
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        sim::Snapshot& snapshot = *w.parts->snapshots.front();
        const sim::PageLedger& copies = w.parts->data_files.back()->ledger;
        co_await change_and_write(w, kCopiedPage);
        co_await snapshot.take();
        co_await change_and_write(w, kCopiedPage);
        CHECK(copies[kCopiedPage].version == 1);
        co_await change_and_write(w, kCopiedPage);
        CHECK(w.context().snapshots.pages_updated == 1);
        co_await snapshot.take();
        CHECK(copies[kCopiedPage].version == 0);
        co_await change_and_write(w, kCopiedPage);
        CHECK(copies[kCopiedPage].version == 3);
        CHECK(w.context().snapshots.pages_updated == 2);
        co_await snapshot.release();
    });
    CHECK(world.sink.findings().empty());
}

TEST_CASE("a copy that a stop interrupts between two runs of pages is finished later, and each page is written once") {
    WorkerWorld world;
    world.add_replica(8);
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        sim::Snapshot& snapshot = *w.parts->snapshots.front();
        const sim::DataFile& replica = *w.parts->data_files.back();
        const std::int32_t handle = replica.file.transfer_handle().value;
        for (const std::uint32_t page : {kCopiedPage, kCopiedPage + 2}) co_await change_and_write(w, page);  // a hole in between
        co_await snapshot.take();
        static_cast<void>(w.requests.take(replica.file));
        w.storage.set_rule([&w, handle](const ums::IoRequest& request) {
            const bool is_copy = request.operation == ums::IoOperation::write && request.file.value == handle;
            if (is_copy) w.state.end_users();
            return Fate{};
        });
        co_await w.data().file.resize_latch().acquire_exclusive(ums::WaitType::file_resize);
        const bool is_done_at_first = co_await snapshot.copy_before_change(kCopiedPage, 3, sim::OnStop::abandon_with_users);
        CHECK_FALSE(is_done_at_first);
        CHECK(w.context().snapshots.pages_updated == 2);
        const bool is_done_later = co_await snapshot.copy_before_change(kCopiedPage, 3, sim::OnStop::post);
        CHECK(is_done_later);
        w.data().file.resize_latch().release_exclusive();
        CHECK(w.context().snapshots.pages_updated == 3);
        CHECK(w.requests.take(replica.file) ==
              std::vector<RequestLog::Entry>{{true, handle, kCopiedPage, 1}, {true, handle, kCopiedPage + 2, 1}});
        w.storage.set_rule(nullptr);
        co_await snapshot.release();
    });
    CHECK(world.sink.findings().empty());
}

TEST_CASE("a reader takes a page of a snapshot from its copy as soon as the copy is complete, and not before") {
    WorkerWorld world;
    world.add_replica(8);
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        sim::Snapshot& snapshot = *w.parts->snapshots.front();
        const sim::SimFile& replica = w.parts->data_files.back()->file;
        const std::int32_t handle = replica.transfer_handle().value;
        co_await change_and_write(w, kCopiedPage);
        co_await snapshot.take();
        w.storage.set_rule([handle](const ums::IoRequest& request) {
            return Fate{.hold = request.operation == ums::IoOperation::write && request.file.value == handle};
        });
        ums::TaskGroup tasks;
        (*w.schedulers)[0].spawn(tasks, "User", change_and_write(w, kCopiedPage));
        co_await wait_for_held(w.storage, w.clock);
        static_cast<void>(w.requests.take(replica));
        (*w.schedulers)[0].spawn(tasks, "Reader", read_page(w, snapshot));
        co_await w.sleep_ms(50);
        CHECK(w.requests.take(replica).empty());
        w.storage.set_rule(nullptr);
        w.storage.release_held();
        co_await tasks.join();
        // What the reader had waited for was the changed page of the source.
        CHECK(w.data().ledger[kCopiedPage].version == 2);
        CHECK(w.requests.take(replica) == std::vector<RequestLog::Entry>{{false, handle, kCopiedPage, 1}});
        co_await snapshot.release();
    });
    CHECK(world.sink.findings().empty());
}
