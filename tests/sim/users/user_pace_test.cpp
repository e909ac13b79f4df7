// In virtual time, on a disk in memory.
#include "sim/users/user_pace.hpp"

#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;

namespace {

// Bursts of half a second, one in each second.
class BurstGroup final : public sim::RunGroup {
public:
    explicit BurstGroup(const ums::Clock& clock) : clock_(clock) {}

    void begins(std::uint64_t /*run_id*/, std::vector<std::string> /*paths*/) override {}
    [[nodiscard]] bool may_pass(Meeting /*meeting*/, std::uint32_t /*cycle*/) override { return true; }
    [[nodiscard]] std::uint64_t rest_us() const override {
        const std::uint64_t at_us = clock_.now_ns() / 1000 % 1'000'000;
        return at_us < 500'000 ? 0 : 1'000'000 - at_us;
    }
    [[nodiscard]] std::uint64_t wanted_run_id() const override { return 0; }
    void verified(const sim::TakeOverResult& /*what*/) override {}
    void takes_over(sim::TakeOver /*what*/) override {}
    void explain(sim::Finding& /*finding*/) const override {}

private:
    const ums::Clock& clock_;
};

}  // namespace

TEST_CASE("between two bursts of its group a run's users rest") {
    VirtualRun run;
    sim::Options options = quiet_options(VirtualRun::kFolder);
    options.test_cycle_duration_s = 6;
    options.cache_hit_ratio = 0;
    options.random_user.user_count = 2;
    options.random_user.sleep_after_ms = 5;
    options.audit_user = {.user_count = 2, .buffers_validated_pages = 16, .delay_after_cycles = 1, .delay_ms = 5};
    BurstGroup group(run.clock);
    sim::Simulation simulation(options, run.storage, run.clock, run.sink, nullptr, &group);
    run.storage.set_tagger([&simulation] { return static_cast<int>(simulation.phase()); });
    CHECK(simulation.run().outcome == sim::Outcome::passed);
    std::uint64_t in_bursts = 0;
    std::uint64_t between = 0;
    for (const Recorded& request : run.storage.requests()) {
        if (request.tag != static_cast<int>(sim::Phase::main_run) || !is_read(request) || !request.path.ends_with(".mdx")) continue;
        // A cycle that has begun in a burst is finished.
        const std::uint64_t at_ms = request.submitted_ns / 1'000'000 % 1000;
        in_bursts += at_ms < 500 ? 1 : 0;
        between += at_ms >= 600 ? 1 : 0;
    }
    CHECK(in_bursts > 100);
    CHECK(between == 0);
}
