// What Simulation::progress() tells another thread.
#include <thread>

#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using sim::Phase;

namespace {

// Shows one thread an earlier time, as if that thread had been delayed after reading the clock.
class LateReaderClock final : public ums::Clock {
public:
    static inline thread_local std::uint64_t lag_ns = 0;

    [[nodiscard]] std::uint64_t now_ns() const override { return real_.now_ns() - lag_ns; }
    [[nodiscard]] std::uint64_t utc_us() const override { return real_.utc_us(); }
    [[nodiscard]] bool is_real() const override { return true; }

private:
    const ums::RealClock real_;
};

}  // namespace

TEST_CASE("a phase that begins during a call of progress() has an elapsed time of zero, not less") {
    RealRun files;
    const LateReaderClock clock;
    sim::Simulation simulation(busy_options(files.folder.path()), files.storage, clock, files.sink);
    sim::Progress progress;
    bool was_seen = false;
    std::thread other([&] {
        was_seen = wait_for_phase(simulation, Phase::main_run);
        LateReaderClock::lag_ns = 10 * ums::kNsPerSecond;
        progress = simulation.progress();
    });
    const sim::Results results = simulation.run();
    other.join();
    REQUIRE(was_seen);
    CHECK(results.outcome == sim::Outcome::passed);
    CHECK(progress.elapsed_us == 0);
    CHECK(progress.done_fraction == 0);
    CHECK(progress.oldest_io_us == 0);
}
