// A run on real files that is stopped ends cleanly and soon.
#include <chrono>
#include <cstdint>
#include <thread>

#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/seed.hpp"
#include "ums/base/prng.hpp"

using namespace sim::testing;
using sim::Options;
using sim::Outcome;
using sim::Phase;
using sim::Results;

TEST_CASE("a run on real files can be stopped at any moment and ends within 2 seconds") {
    const std::uint64_t first_seed = ums::testing::test_seed("real stops");
    for (std::uint64_t i = 0; i < 5; ++i) {
        ums::Prng prng(first_seed + i);
        RealRun run;
        Options options = busy_options(run.folder.path());
        options.test_cycle_duration_s = 60;
        options.files[1].initial_size_mb = options.files[1].max_size_mb = 1;
        const auto when = static_cast<Phase>(prng.below(4));
        const auto wait = std::chrono::milliseconds(prng.below(300));
        std::chrono::steady_clock::time_point stopped;
        const Results results = run.run(options, [&](sim::Simulation& simulation) {
            wait_for_phase(simulation, when);
            std::this_thread::sleep_for(wait);
            stopped = std::chrono::steady_clock::now();
            simulation.request_stop();
        });
        INFO(name_of(when) << " + " << wait.count() << " ms\n" << run.sink.text());
        CHECK(std::chrono::steady_clock::now() - stopped < std::chrono::seconds(2));
        CHECK(results.outcome == Outcome::stopped);
        CHECK(run.sink.findings().empty());
    }
}

TEST_CASE("a run that was stopped before it began creates no file") {
    RealRun run;
    const Results results = run.run(quiet_options(run.folder.path()), {});
    CHECK(results.outcome == Outcome::passed);
    RealRun stopped;
    sim::Simulation simulation(quiet_options(stopped.folder.path()), stopped.storage, stopped.clock, stopped.sink);
    simulation.request_stop();
    CHECK(simulation.run().outcome == Outcome::stopped);
    CHECK(stopped.folder.is_empty());
}
