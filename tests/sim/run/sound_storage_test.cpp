// A sound storage never causes a finding, whatever the options are: the hunt for deadlocks, crashes and false alarms.
// By hand for longer: IOPROOF_HUNT_RUNS=500 sim_test "[virtual]" or "[real]"; one run again: IOPROOF_TEST_SEED=<seed> IOPROOF_HUNT_RUNS=1.
#include <map>
#include <string>

#include "sim/files/file_names.hpp"
#include "sim/limits.hpp"
#include "tests/sim/support/random_run.hpp"
#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/seed.hpp"

using namespace sim::testing;

TEST_CASE("the hunt draws every kind of options, and none that a configuration could not have") {
    constexpr std::uint64_t kSeeds = 500;
    std::map<std::string, std::uint64_t> counts;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        const sim::Options o = random_options(seed, VirtualRun::kFolder, true);
        INFO(summary_of(o));
        CHECK(o.random_user.min_log_per_buffer_bytes <= o.random_user.max_log_per_buffer_bytes);
        CHECK(o.random_user.max_log_per_buffer_bytes <= 64'000);
        bool has_growing_log = false;
        bool has_own_durability = false;
        bool has_replica = false;
        for (const sim::FileOptions& file : o.files) {
            CHECK(file.initial_size_mb <= file.max_size_mb);
            has_growing_log |= file.is_log && file.increment_mb != 0;
            has_own_durability |= file.durability != sim::Durability::inherited;
            has_replica |= sim::is_transient(file, o.files);
        }
        counts["a log that grows"] += has_growing_log ? 1 : 0;
        counts["a file with its own durability"] += has_own_durability ? 1 : 0;
        counts["a replica"] += has_replica ? 1 : 0;
        counts["checks of snapshots"] += o.audit_user.checks_snapshot ? 1 : 0;
        counts["a durability"] += o.durability != sim::Durability::inherited ? 1 : 0;
        counts["changes of two log records"] += o.random_user.max_log_per_buffer_bytes > sim::kLogBlockBytesMax ? 1 : 0;
        counts["merged buffers"] += o.merge_buffers ? 1 : 0;
        counts["files that are deleted"] += o.delete_files_at_shutdown ? 1 : 0;
        counts["indirect checkpoints"] += o.recent.target_recovery_time_s != 0 ? 1 : 0;
        counts["columnstore users"] += o.columnstore_user.user_count != 0 ? 1 : 0;
        counts["tempdb users"] += o.tempdb_user.user_count != 0 ? 1 : 0;
        counts["version store users"] += o.version_store_user.user_count != 0 ? 1 : 0;
    }
    CHECK(counts.size() == 12);
    for (const auto& [what, count] : counts) {
        INFO(what << ": " << count << " of " << kSeeds);
        CHECK(count >= kSeeds / 20);
    }
}

TEST_CASE("runs on a sound disk report nothing, whatever the options (virtual time)", "[hunt][virtual]") {
    const std::uint64_t first_seed = ums::testing::test_seed("virtual hunt");
    for (std::uint64_t i = 0; i < hunt_runs(test::fewer_if_sanitized(28)); ++i) {
        const std::uint64_t seed = first_seed + i;
        const sim::Options options = random_options(seed, VirtualRun::kFolder, true);
        announce(options);
        ums::Prng prng(seed);
        const std::uint64_t min_us = prng.between(1, 200);
        VirtualRun run(random_disk(seed, min_us, min_us + prng.between(0, prng.below(2) == 0 ? 200 : 20'000)));
        run.storage.keep_requests(false);
        const sim::Results results = run.run(options);
        INFO(summary_of(options));
        CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
        CHECK(run.memory.open_count() == 0);
    }
}
