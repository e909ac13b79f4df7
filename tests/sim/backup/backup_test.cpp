// Backups while users work: verified, restored, and compared with the run's own state. In virtual time.
#include <algorithm>
#include <cstddef>
#include <string>
#include <system_error>

#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/seed.hpp"
#include "ums/base/prng.hpp"
#include "ums/io/forwarding_storage.hpp"

using namespace sim::testing;
using sim::FileRole;
using sim::Finding;
using sim::FindingKind;
using sim::Options;
using sim::Outcome;
using sim::Phase;
using sim::Results;

namespace {

Options backup_options(std::uint64_t seed = 1) {
    Options options = busy_options(VirtualRun::kFolder);
    options.seed = seed;
    options.files[0].increment_mb = 1;
    options.files[0].shrinkable = true;
    options.files[1].initial_size_mb = options.files[1].max_size_mb = 8;
    options.shrink_user = {.min_interval_s = 1, .max_interval_s = 1, .min_extends = 1, .max_extends = 4};
    options.test_cycle_duration_s = 3;
    options.backup_user.folders = VirtualRun::kFolder;
    options.backup_user.restore_folder = VirtualRun::kFolder;
    return options;
}

bool is_stripe(const Recorded& request) { return request.path.ends_with(".bak") && request.of_load; }

// Empty if the run passed, and a backup was taken, restored and compared.
std::string what_failed(const Results& results, const CollectingSink& sink, const RecordingStorage& storage) {
    if (results.outcome != Outcome::passed || results.finding_count != 0) return results.outcome_reason + "\n" + sink.text();
    if (!storage.overlaps().empty()) return storage.overlaps().front();
    if (!results.backup) return "no backup";
    if (results.backup->full.count == 0 || results.backup->restored.count == 0) return "none was made or restored\n" + sink.text();
    if (results.backup->restored.count != results.backup->compared.count) return "a restore was not compared";
    return {};
}

// True if the results list a file with this role.
bool has_file(const Results& results, FileRole role) {
    return std::any_of(results.backup->files.begin(), results.backup->files.end(), [role](const auto& file) { return file.role == role; });
}

}  // namespace

TEST_CASE("without a backup folder nothing is backed up, and the run has no backup phase") {
    VirtualRun run;
    Options options = backup_options();
    options.backup_user.folders.clear();
    const Results results = run.run(options);
    CHECK(results.outcome == Outcome::passed);
    CHECK_FALSE(results.backup);
    CHECK(std::none_of(results.phases.begin(), results.phases.end(), [](const auto& phase) { return phase.phase == Phase::backup; }));
    CHECK(run.storage.select(is_stripe).empty());
}

TEST_CASE("a full backup under load is verified, restored, and completed with its log") {
    VirtualRun run;
    const Results results = run.run(backup_options());
    REQUIRE(what_failed(results, run.sink, run.storage).empty());
    const sim::BackupResult& backup = *results.backup;
    CHECK(backup.full.count == 1);
    CHECK(backup.verified.count == 1);
    CHECK(backup.verified.pages == backup.full.pages);
    CHECK(backup.full.pages >= 512);
    CHECK(backup.pages_redone > 0);
    CHECK(backup.full.log_bytes > 0);
    CHECK(has_file(results, FileRole::backup));
    CHECK(has_file(results, FileRole::restored));
    CHECK(has_file(results, FileRole::backup_chain));
    CHECK(wait_count(results, "BACKUPIO") > 0);
    CHECK(wait_count(results, "BACKUPTHREAD") > 0);
    CHECK(user(results, "BackupUser").cycles == 1);
    CHECK(phase(results, Phase::backup).duration_us > 0);
}

TEST_CASE("backup requests have MaxTransferSize, are durable, use contiguous memory, and are spread over the stripes") {
    VirtualRun run;
    Options options = backup_options();
    options.backup_user.max_transfer_kb = 256;
    options.backup_user.stripes_per_folder = 3;
    const Results results = run.run(options);
    REQUIRE(what_failed(results, run.sink, run.storage).empty());
    std::uint64_t largest = 0;
    std::size_t whole = 0;
    for (int stripe = 1; stripe <= 3; ++stripe) {
        const std::string name = "ioproof_backup_" + std::to_string(stripe) + ".bak";
        const auto writes = run.storage.select(
            [&](const Recorded& request) { return is_stripe(request) && is_write(request) && request.path.ends_with(name); });
        CHECK(writes.size() >= 8);
        for (const Recorded& request : writes) {
            CHECK(request.durable);
            CHECK(request.segment_count == 1);
            largest = std::max(largest, request.size_bytes);
            whole += request.size_bytes == 256 << 10 ? 1 : 0;
        }
    }
    CHECK(largest == 256 << 10);
    CHECK(whole >= 28);
    CHECK(results.backup->transfer_bytes == 256 << 10);
}

TEST_CASE("Readers is the number of tasks that read a data file, as far as BufferCount allows") {
    struct Case {
        std::uint32_t readers;
        std::uint32_t buffers;
    };
    for (const auto& [readers, buffers] : {Case{1, 8}, Case{3, 8}, Case{3, 1}}) {
        INFO(readers << " readers, " << buffers << " buffers");
        VirtualRun run;
        Options options = quiet_options(VirtualRun::kFolder);
        options.backup_user.folders = VirtualRun::kFolder;
        options.backup_user.max_transfer_kb = 64;
        options.backup_user.reader_count = readers;
        options.backup_user.buffer_count = buffers;
        const Results results = run.run(
            options, [&](sim::Simulation& simulation) { run.storage.set_tagger([&] { return static_cast<int>(simulation.phase()); }); });
        CHECK(results.outcome == Outcome::passed);
        std::uint32_t reads = 0;
        std::uint32_t writes = 0;
        for (const Recorded& request : run.storage.requests()) {
            if (request.tag != static_cast<int>(Phase::main_run)) continue;
            if (is_read(request) && request.path.ends_with("data.mdx")) reads = std::max(reads, request.file_in_flight);
            if (is_write(request) && is_stripe(request)) writes = std::max(writes, request.file_in_flight);
        }
        CHECK(reads == std::min(readers, buffers));
        CHECK(writes <= buffers);
        CHECK(writes > 0);
    }
}

TEST_CASE("a run that gives up its files gives up those of its backups, too, through whatever storage wraps them") {
    struct UnlockedFiles final : ums::ForwardingStorage {
        using ums::ForwardingStorage::ForwardingStorage;
        void unlock(ums::FileHandle /*file*/) override { ++count; }
        std::size_t count = 0;
    };
    VirtualRun run;
    UnlockedFiles unlocked(run.storage);
    ums::ForwardingStorage storage(static_cast<ums::Storage&>(unlocked));
    sim::Simulation simulation(backup_options(), storage, run.clock, run.sink);
    bool has_given_up = false;
    run.storage.set_fault([&](const Recorded& /*request*/) {
        if (simulation.phase() == Phase::main_run && !has_given_up) {
            has_given_up = true;
            simulation.release_locks();
        }
        return std::error_code{};
    });
    const Results results = simulation.run();
    REQUIRE(has_given_up);
    REQUIRE(results.backup);
    CHECK(unlocked.count == results.files.size() + results.backup->files.size());
}

TEST_CASE("without Verify a backup is not read back, and without RestoreFolder it is not restored") {
    for (const bool is_verified : {false, true}) {
        for (const bool is_restored : {false, true}) {
            VirtualRun run;
            Options options = quiet_options(VirtualRun::kFolder);
            options.backup_user.folders = VirtualRun::kFolder;
            options.backup_user.verify = is_verified;
            if (is_restored) options.backup_user.restore_folder = VirtualRun::kFolder;
            const Results results = run.run(options);
            CHECK(results.outcome == Outcome::passed);
            CHECK(results.backup->full.count == 1);
            CHECK(results.backup->verified.count == (is_verified ? 1 : 0));
            CHECK(results.backup->restored.count == (is_restored ? 1 : 0));
            CHECK(has_file(results, FileRole::restored) == is_restored);
            const auto reads = run.storage.select([](const Recorded& request) { return is_stripe(request) && is_read(request); });
            CHECK(reads.empty() == (!is_verified && !is_restored));
        }
    }
}

TEST_CASE("FullInterval is the time from one full backup to the next, and 0 makes one in each main run") {
    const auto full_backups = [](std::uint32_t interval_s) {
        VirtualRun run;
        Options options = quiet_options(VirtualRun::kFolder);
        options.test_cycle_duration_s = 7;
        options.backup_user.folders = VirtualRun::kFolder;
        options.backup_user.full_interval_s = interval_s;
        const Results results = run.run(options);
        CHECK(results.outcome == Outcome::passed);
        return results.backup->full.count;
    };
    CHECK(full_backups(0) == 1);
    CHECK(full_backups(2) == 4);
    CHECK(full_backups(4) == 2);
}

TEST_CASE("a chain that cannot go on is followed by a full backup in the same main run, however long FullInterval is") {
    VirtualRun run;
    Options options = backup_options();
    options.test_cycle_duration_s = 6;
    options.backup_user.differential_interval_s = 1;
    Phase phase{};
    std::uint32_t growths = 0;
    run.storage.set_fault([&](const Recorded& request) {
        const bool is_growth =
            phase == Phase::main_run && request.operation == ums::IoOperation::allocate && request.path.ends_with(".bak");
        if (is_growth) ++growths;
        // For the first differential backup, also after the chain has given back what it has not used.
        const bool fails = is_growth && (growths == 2 || growths == 3);
        return fails ? std::make_error_code(std::errc::no_space_on_device) : std::error_code{};
    });
    const Results results = run.run(options, [&](sim::Simulation& simulation) {
        run.storage.set_tagger([&simulation, &phase] {
            phase = simulation.phase();
            return 0;
        });
    });
    run.storage.set_tagger({});
    INFO(run.sink.text());
    REQUIRE(what_failed(results, run.sink, run.storage).empty());
    CHECK(results.backup->broken_chains == 1);
    CHECK(results.backup->full.count == 2);
    CHECK(results.backup->differential.count >= 1);
}

TEST_CASE("log is backed up early when a quarter of the log waits for it, however long LogInterval is") {
    VirtualRun run;
    Options options = backup_options();
    options.backup_user.log_interval_s = 3600;
    const Results results = run.run(options);
    REQUIRE(what_failed(results, run.sink, run.storage).empty());
    CHECK(results.backup->broken_chains == 0);
    // One is made at the end.
    CHECK(results.backup->log.count > 1);
}

TEST_CASE("differential and log backups follow their schedule, and the last chain is restored completely") {
    const std::uint64_t seed = ums::testing::test_seed("backups by their schedule");
    ums::Prng prng(seed);
    for (std::uint64_t i = 0; i < test::fewer_if_sanitized(4); ++i) {
        VirtualRun run(random_disk(prng.next(), 50, 150));
        Options options = backup_options(prng.next());
        options.backup_user.differential_interval_s = 1;
        options.backup_user.log_interval_s = prng.below(2) == 0 ? 0 : 1;
        options.backup_user.full_interval_s = prng.below(2) == 0 ? 0 : 2;
        options.backup_user.stripes_per_folder = static_cast<std::uint32_t>(prng.between(1, 3));
        options.backup_user.reader_count = static_cast<std::uint32_t>(prng.between(1, 3));
        options.backup_user.buffer_count = static_cast<std::uint32_t>(prng.between(1, 4));
        options.backup_user.max_transfer_kb = static_cast<std::uint32_t>(prng.between(1, 16)) * 64;
        const Results results = run.run(options);
        REQUIRE(what_failed(results, run.sink, run.storage).empty());
        INFO(run.sink.text());
        CHECK(results.backup->differential.count > 0);
        CHECK((results.backup->log.count > 0) == (options.backup_user.log_interval_s != 0));
    }
}

TEST_CASE("each differential backup has all pages that have changed since the full one, not only since the previous differential one") {
    const std::uint64_t seed = ums::testing::test_seed("rare changes between differential backups");
    ums::Prng prng(seed);
    for (std::uint64_t i = 0; i < test::fewer_if_sanitized(6); ++i) {
        VirtualRun run(random_disk(prng.next(), 50, 150));
        Options options = backup_options(prng.next());
        options.backup_user.differential_interval_s = 1;
        options.test_cycle_duration_s = 4;
        // Most pages that have changed before a differential backup do not change again before the next one, and the log that the last one
        // is restored with does not have them.
        options.audit_user.user_count = options.read_ahead_user.user_count = options.bulk_update_user.user_count = 0;
        options.random_user.user_count = 1;
        options.random_user.min_io_chain_pages = options.random_user.max_io_chain_pages = 4;
        options.random_user.jump_to_new_region_chance = 10'000;
        options.random_user.sleep_after_ms = 100;
        const Results results = run.run(options);
        INFO(run.sink.text());
        REQUIRE(what_failed(results, run.sink, run.storage).empty());
        CHECK(results.backup->full.count == 1);
        CHECK(results.backup->differential.count >= 2);
    }
}

TEST_CASE("pages that were cut off before a differential backup, and are there again after it, are restored as new ones") {
    const std::uint64_t seed = ums::testing::test_seed("cuts before differential backups");
    ums::Prng prng(seed);
    for (std::uint64_t i = 0; i < test::fewer_if_sanitized(3); ++i) {
        VirtualRun run(random_disk(prng.next(), 50, 150));
        Options options = backup_options(prng.next());
        options.test_cycle_duration_s = 12;
        // The log with the cut is backed up before the differential backup, so what is restored after that does not have it.
        options.backup_user.full_interval_s = 4;
        options.backup_user.differential_interval_s = 2;
        options.backup_user.log_interval_s = 1;
        const Results results = run.run(options);
        INFO(run.sink.text());
        REQUIRE(what_failed(results, run.sink, run.storage).empty());
        CHECK(results.files[0].shrunk_count > 0);
        CHECK(results.backup->restored.count >= 2);
    }
}

TEST_CASE("a backup that ends while a change is only partly logged is restored without it") {
    const std::uint64_t seed = ums::testing::test_seed("backups between the records of a change");
    ums::Prng prng(seed);
    for (std::uint64_t i = 0; i < test::fewer_if_sanitized(5); ++i) {
        VirtualRun run(random_disk(prng.next(), 50, 150));
        Options options = backup_options(prng.next());
        // Each change needs two records, and the second one waits for a block of the log.
        options.random_user.min_log_per_buffer_bytes = options.random_user.max_log_per_buffer_bytes = 64 << 10;
        options.files[1].initial_size_mb = options.files[1].max_size_mb = 32;
        options.log_flushes_outstanding = 1;
        options.backup_user.full_interval_s = 1;
        const Results results = run.run(options);
        INFO(run.sink.text());
        REQUIRE(what_failed(results, run.sink, run.storage).empty());
        CHECK(results.backup->restored.count >= 2);
    }
}

namespace {

// Runs with a wrong bit at `at_bytes` in every read of the files whose names end in `name_end`.
Results run_with_wrong_bit(VirtualRun& run, const Options& options, const std::string& name_end, std::uint64_t at_bytes, bool in_run_only) {
    Phase phase{};
    run.storage.set_tamper([&](ums::IoRequest& request, const std::string& path) {
        const bool is_hit = request.operation == ums::IoOperation::read && request.owner != nullptr && path.ends_with(name_end) &&
                            covers(request, at_bytes);
        if (!is_hit || (in_run_only && phase != Phase::main_run)) return;
        std::uint64_t place = request.offset_bytes;
        for (std::uint32_t i = 0; i < request.segment_count; ++i) {
            const ums::IoSegment& segment = request.segments[i];
            if (at_bytes < place + segment.size_bytes) {
                segment.data[at_bytes - place] ^= std::byte{0x20};
                return;
            }
            place += segment.size_bytes;
        }
    });
    Results results = run.run(options, [&](sim::Simulation& simulation) {
        run.storage.set_tagger([&simulation, &phase] {
            phase = simulation.phase();
            return 0;
        });
    });
    run.storage.set_tagger({});
    return results;
}

}  // namespace

TEST_CASE("a fault in the source, the backup or the restored file is found and located") {
    struct Place {
        std::string name_end;
        FileRole role;
        FindingKind kind;
        std::uint64_t at_bytes;
    };
    const auto place = GENERATE(Place{"data.mdx", FileRole::test, FindingKind::bit_corruption, 300 * 8192 + 1000},
                                Place{"backup_1.bak", FileRole::backup, FindingKind::bit_corruption, 300 * 8192 + 1000},
                                Place{"backup.trn", FileRole::backup_chain, FindingKind::log_block_damaged, 8192 + 100},
                                Place{"restored_1_data.mdx", FileRole::restored, FindingKind::bit_corruption, 300 * 8192 + 1000});
    VirtualRun run;
    Options options = backup_options();
    options.shrink_user = {.min_interval_s = 100, .max_interval_s = 100, .min_extends = 1, .max_extends = 1};
    options.random_user.user_count = 0;
    options.audit_user.user_count = 0;
    options.read_ahead_user.user_count = 0;
    options.bulk_update_user.user_count = 0;
    const Results results = run_with_wrong_bit(run, options, place.name_end, place.at_bytes, place.role == FileRole::test);
    INFO(run.sink.text());
    CHECK(results.outcome == Outcome::failed);
    REQUIRE_FALSE(results.findings.empty());
    const Finding& finding = results.findings.front();
    CHECK(finding.kind == place.kind);
    CHECK(finding.place.role == place.role);
    CHECK(finding.place.path.ends_with(place.name_end));
    const std::string start = "In a " + std::string(name_of(place.role));
    CHECK(finding.description.starts_with(start) == (place.role != FileRole::test));
}

TEST_CASE("a chunk of the chain that cannot be read is reported once, although the restore needs it after the verification") {
    VirtualRun run;
    Options options = quiet_options(VirtualRun::kFolder);
    options.backup_user.folders = options.backup_user.restore_folder = VirtualRun::kFolder;
    run.storage.set_fault([](const Recorded& request) {
        const bool is_bad = is_read(request) && request.of_load && request.path.ends_with(".trn") && covers(request, 8192);
        return is_bad ? std::make_error_code(std::errc::io_error) : std::error_code{};
    });
    const Results results = run.run(options);
    INFO(run.sink.text());
    CHECK(results.outcome == Outcome::failed);
    REQUIRE(results.findings.size() == 1);
    CHECK(results.findings.front().kind == FindingKind::io_error);
    CHECK(results.findings.front().place.role == FileRole::backup_chain);
}
