// Entire runs in virtual time on storages that fail, with many seeds: each ends with the right outcome, and never lets a transfer overlap a
// write. By hand for longer: IOPROOF_HUNT_RUNS=500 sim_test "[failing]"; one run again: IOPROOF_TEST_SEED=<seed> IOPROOF_HUNT_RUNS=1.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/files/sim_file.hpp"
#include "sim/limits.hpp"
#include "tests/sim/support/faulty_storage.hpp"
#include "tests/sim/support/overlap_watch.hpp"
#include "tests/sim/support/random_run.hpp"
#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/seed.hpp"

using namespace sim::testing;
using sim::kPageBytes;
using sim::Outcome;
using sim::testing::Fate;
using sim::testing::FaultyStorage;
using sim::testing::OverlapWatch;

namespace {

bool is_transfer(const ums::IoRequest& request) {
    return request.operation == ums::IoOperation::read || request.operation == ums::IoOperation::write;
}

// A run in virtual time on a storage that can fail.
struct FailingRun {
    explicit FailingRun(std::uint64_t seed) : memory(clock, random_disk(seed, 50, 5000)) { storage.set_observer(&watch); }

    // The rule applies from the initial update on; another test covers failures of the start.
    sim::Results run(const sim::Options& options, const FaultyStorage::Rule& rule) {
        const Watchdog watchdog("a run on a failing storage", 200);
        sim::Simulation simulation(options, storage, clock, sink);
        storage.set_rule(
            [&](const ums::IoRequest& request) { return simulation.phase() >= sim::Phase::initial_update ? rule(request) : Fate{}; });
        return simulation.run();
    }

    ums::VirtualClock clock;
    MemoryStorage memory;
    FaultyStorage storage{memory, clock};
    OverlapWatch watch;
    CollectingSink sink;
};

// Every transfer may fail, with an error or by ending early, but none twice in a row.
FaultyStorage::Rule now_and_then(std::uint64_t seed) {
    struct Memory {
        ums::Prng prng;
        std::map<std::pair<std::int32_t, std::uint64_t>, bool> failed{};
    };
    return [memory = std::make_shared<Memory>(Memory{ums::Prng(seed)})](const ums::IoRequest& request) {
        if (!is_transfer(request)) return Fate{};
        bool fails = memory->prng.chance(300);
        for (std::uint64_t offset = 0; offset < request.size_bytes; offset += kPageBytes) {
            bool& failed = memory->failed[{request.file.value, (request.offset_bytes + offset) / kPageBytes}];
            fails = fails && !failed;
        }
        for (std::uint64_t offset = 0; offset < request.size_bytes; offset += kPageBytes) {
            memory->failed[{request.file.value, (request.offset_bytes + offset) / kPageBytes}] = fails;
        }
        if (!fails) return Fate{};
        if (memory->prng.below(2) == 0) return Fate{.error = EIO};
        return Fate{.transferred_bytes = memory->prng.below(request.size_bytes / 512) * 512};
    };
}

// What fails for good from a certain moment on.
enum class Failure : std::uint8_t { data_reads, data_writes, log_writes, some_pages, everything, no_space };
constexpr std::uint64_t kFailures = 6;

FaultyStorage::Rule for_good(Failure failure, const ums::Clock& clock, std::uint64_t from_ns) {
    return [failure, &clock, from_ns](const ums::IoRequest& request) {
        if (clock.now_ns() < from_ns || !is_transfer(request)) return Fate{};
        const bool is_write = request.operation == ums::IoOperation::write;
        const bool is_log = request.size_bytes % kPageBytes != 0;  // most of them
        const std::uint64_t first_page = request.offset_bytes / kPageBytes;
        const bool is_hit = first_page % 64 < 3;
        switch (failure) {
            case Failure::data_reads: return Fate{.error = !is_write && !is_log ? EIO : 0};
            case Failure::data_writes: return Fate{.error = is_write && !is_log ? EIO : 0};
            case Failure::log_writes: return Fate{.error = is_write && is_log ? EIO : 0};
            case Failure::some_pages: return Fate{.error = is_hit ? EIO : 0};
            case Failure::everything: return Fate{.error = EIO};
            case Failure::no_space: return Fate{.error = is_write ? ENOSPC : 0};
        }
        return Fate{};
    };
}

}  // namespace

TEST_CASE("requests that fail now and then are retried: nothing is persistent, nothing overlaps", "[failing]") {
    const std::uint64_t first_seed = ums::testing::test_seed("fails now and then");
    std::uint64_t warnings = 0;
    for (std::uint64_t i = 0; i < hunt_runs(test::fewer_if_sanitized(12)); ++i) {
        const std::uint64_t seed = first_seed + i;
        sim::Options options = random_options(seed, VirtualRun::kFolder, true);
        options.stop_on_error = false;
        announce(options);
        FailingRun run(seed);
        const sim::Results results = run.run(options, now_and_then(seed));
        INFO(summary_of(options));
        INFO(run.sink.text());
        CHECK(results.cycles_completed == options.test_cycles);
        for (const sim::Finding& finding : run.sink.findings()) {
            CHECK((finding.kind == sim::FindingKind::io_error || finding.kind == sim::FindingKind::short_transfer));
            CHECK(finding.transient);
        }
        warnings += run.sink.count_of(sim::Severity::warning);
        CHECK(run.watch.violations() == std::vector<std::string>{});
        CHECK(run.watch.count() > 0);
        CHECK(run.memory.open_count() == 0);
    }
    CHECK(warnings > 0);
}

TEST_CASE("whatever fails for good, and whenever, the run ends and does not report success", "[failing]") {
    const std::uint64_t first_seed = ums::testing::test_seed("fails for good");
    for (std::uint64_t i = 0; i < hunt_runs(test::fewer_if_sanitized(18)); ++i) {
        const std::uint64_t seed = first_seed + i;
        ums::Prng prng(seed);
        sim::Options options = random_options(seed, VirtualRun::kFolder, true);
        options.stop_on_error = prng.below(2) == 0;
        const auto failure = static_cast<Failure>(prng.below(kFailures));
        const std::uint64_t from_ms = prng.below(options.test_cycle_duration_s * 1000);
        announce(options);
        FailingRun run(seed);
        std::uint64_t failed = 0;
        const FaultyStorage::Rule rule = for_good(failure, run.clock, run.clock.now_ns() + from_ms * ums::kNsPerMs);
        const sim::Results results = run.run(options, [&](const ums::IoRequest& request) {
            const Fate fate = rule(request);
            failed += fate.error != 0 ? 1 : 0;
            return fate;
        });
        INFO(summary_of(options) << ", failure " << static_cast<int>(failure) << " from " << from_ms << " ms, StopOnError "
                                 << options.stop_on_error);
        INFO(run.sink.text());
        if (failed > 0) CHECK(results.outcome != Outcome::passed);
        CHECK(run.memory.open_count() == 0);
    }
}

TEST_CASE("a late request is a warning in the results, one that takes two minutes is a failure", "[failing]") {
    for (const std::uint64_t seconds : {14U, 20U, 130U}) {
        FailingRun run(1);
        sim::Options options = busy_options(VirtualRun::kFolder);
        options.test_cycle_duration_s = 1;
        bool is_out = false;
        const sim::Results results = run.run(options, [&](const ums::IoRequest& request) {
            const bool is_late = is_transfer(request) && request.owner != nullptr && !std::exchange(is_out, true);
            return Fate{.delay_ns = is_late ? seconds * ums::kNsPerSecond : 0};
        });
        INFO(seconds << " s\n" << run.sink.text());
        const bool is_lost = seconds > 120;
        CHECK(results.outcome == (is_lost ? Outcome::failed : Outcome::passed));
        CHECK(results.finding_count == (is_lost ? 1 : 0));
        REQUIRE(results.warning_count == (seconds == 20 ? 1 : 0));
        REQUIRE(results.warnings.size() == results.warning_count);
        if (seconds != 20) continue;
        CHECK(results.warnings[0].is_warning);
        CHECK(results.warnings[0].kind == sim::FindingKind::stalled_io);
        CHECK(or_empty(results.warnings[0].failure).duration_us >= 20'000'000);
        CHECK(run.sink.findings().size() == 1);  // the sinks receive it, too
    }
}

TEST_CASE("a late request to a file of backups is counted for that file", "[failing]") {
    FailingRun run(1);
    sim::Options options = quiet_options(VirtualRun::kFolder);
    options.backup_user.folders = VirtualRun::kFolder;
    bool is_out = false;
    const sim::Results results = run.run(options, [&](const ums::IoRequest& request) {
        const auto* const file = static_cast<const sim::SimFile*>(request.owner);
        const bool is_of_stripe = is_transfer(request) && file != nullptr && file->options().role == sim::FileRole::backup;
        return Fate{.delay_ns = is_of_stripe && !std::exchange(is_out, true) ? 20 * ums::kNsPerSecond : 0};
    });
    INFO(run.sink.text());
    CHECK(results.outcome == Outcome::passed);
    REQUIRE(results.warning_count == 1);
    REQUIRE(results.backup);
    const std::vector<sim::BackupFileResult>& files = results.backup->files;
    const auto late = std::find_if(files.begin(), files.end(), [](const sim::BackupFileResult& each) { return each.warnings > 0; });
    REQUIRE(late != files.end());
    CHECK(late->path == results.warnings[0].place.path);
    CHECK(late->warnings == 1);
    CHECK(late->long_ios == 1);
}
