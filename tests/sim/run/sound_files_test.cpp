// The hunt of sound_storage_test.cpp on real files.
#include <cstdint>

#include "tests/sim/support/random_run.hpp"
#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/seed.hpp"

using namespace sim::testing;

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
