// A sound storage never causes a finding, whatever the options are: the hunt for deadlocks, crashes and false alarms.
// By hand for longer: IOPROOF_HUNT_RUNS=500 sim_test "[virtual]" or "[real]"; one run again: IOPROOF_TEST_SEED=<seed> IOPROOF_HUNT_RUNS=1.
#include <string>

#include "tests/sim/support/random_run.hpp"
#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/seed.hpp"

using namespace sim::testing;

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

TEST_CASE("runs on a sound disk report nothing, whatever the options (real files)", "[hunt][real]") {
    const std::uint64_t first_seed = ums::testing::test_seed("real hunt");
    for (std::uint64_t i = 0; i < hunt_runs(4); ++i) {
        RealRun run;
        run.storage.keep_requests(false);
        const sim::Options options = random_options(first_seed + i, run.folder.path(), false);
        announce(options);
        const sim::Results results = run.run(options);
        INFO(summary_of(options));
        CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
    }
}
