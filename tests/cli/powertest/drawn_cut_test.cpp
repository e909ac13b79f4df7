#include "cli/powertest/drawn_cut.hpp"

#include <cstdint>
#include <set>

#include "tests/support/catch.hpp"

namespace {

cli::CampaignPlan plan_of(std::uint64_t seed) {
    return {.cycles = 100, .least_s = 5, .most_s = 60, .seed = seed, .moments = {"any", "checkpoint", "flush", "growth"}};
}

}  // namespace

TEST_CASE("a campaign that continues draws the cuts that it would have drawn, and another seed draws others") {
    for (std::uint32_t cycle = 1; cycle <= 10; ++cycle) {
        const cli::DrawnCut cut = cli::drawn_cut(plan_of(7), cycle);
        CHECK(cut.after_ms == cli::drawn_cut(plan_of(7), cycle).after_ms);
        CHECK(cut.late_us == cli::drawn_cut(plan_of(7), cycle).late_us);
        CHECK(cut.after_ms != cli::drawn_cut(plan_of(8), cycle).after_ms);
    }
}

TEST_CASE("each cut of a campaign comes within its limits, and the moments are taken in turn") {
    const cli::CampaignPlan plan = plan_of(7);
    std::set<std::uint64_t> times;
    for (std::uint32_t cycle = 1; cycle <= plan.cycles; ++cycle) {
        const cli::DrawnCut cut = cli::drawn_cut(plan, cycle);
        CHECK((cut.after_ms >= 5000 && cut.after_ms <= 60'000));
        CHECK(cut.moment == plan.moments[(cycle - 1) % 4]);
        times.insert(cut.after_ms);
    }
    CHECK(times.size() > 90);
}
