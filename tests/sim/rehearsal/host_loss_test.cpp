// Which host is lost in a rehearsal, and what a witness says about it.
#include "sim/rehearsal/host_loss.hpp"

#include <array>

#include "sim/rehearsal/lost_witness.hpp"
#include "tests/sim/rehearsal/hosts_rehearsals.hpp"
#include "tests/support/catch.hpp"

using sim::HostLoss;
using sim::LossPlan;
using sim::LostWitness;
using Owner = sim::RunGroup::Owner;

namespace {

constexpr std::uint64_t kMs = ums::kNsPerMs;

}  // namespace

TEST_CASE("each loss of a host has its own name") { sim::testing::check_names(sim::kHostLossCount, sim::host_loss_of); }

TEST_CASE("a loss is the requested one or one of the possible ones, and with half of the seeds no host is lost") {
    constexpr std::array kPossible{HostLoss::owner_killed, HostLoss::witness_away};
    std::array<std::uint32_t, sim::kHostLossCount> counts{};
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        ums::Prng prng(seed);
        const LossPlan plan = draw_loss(std::nullopt, kPossible, prng);
        ++counts.at(static_cast<std::size_t>(plan.loss));
        CHECK((plan.from_ns == ums::kNever) == (plan.loss == HostLoss::none));
        CHECK((plan.until_ns == ums::kNever) == (plan.loss != HostLoss::witness_away));
        ums::Prng again(seed);
        CHECK(draw_loss(HostLoss::owner_frozen, kPossible, again).loss == HostLoss::owner_frozen);
    }
    CHECK(counts[0] > 150);
    CHECK(counts[1] > 60);
    CHECK(counts[3] > 60);
    CHECK(counts[0] + counts[1] + counts[3] == 400);
}

TEST_CASE("a killed owner is lost when its lease expires, a frozen one is back when it wakes") {
    const bool is_frozen = GENERATE(false, true);
    ums::VirtualClock clock;
    LostWitness witness(clock,
                        {is_frozen ? HostLoss::owner_frozen : HostLoss::owner_killed, 100 * kMs, is_frozen ? 1000 * kMs : ums::kNever});
    clock.advance_to(50 * kMs);
    witness.begin();  // the times count from here
    clock.advance_to(140 * kMs);
    CHECK_FALSE(witness.is_owner_gone());
    clock.advance_to(400 * kMs);
    CHECK(witness.owner() == Owner::works);
    CHECK(witness.is_owner_gone() != is_frozen);
    clock.advance_to(500 * kMs);
    CHECK(witness.owner() == Owner::lost);
    clock.advance_to(1050 * kMs);
    CHECK(witness.owner() == (is_frozen ? Owner::works : Owner::lost));
    CHECK(witness.answers());
}

TEST_CASE("when the witness is away, a reader knows its last word, and after a while nothing") {
    const bool comes_back = GENERATE(false, true);
    ums::VirtualClock clock;
    LostWitness witness(clock,
                        {comes_back ? HostLoss::witness_away : HostLoss::witness_lost, 100 * kMs, comes_back ? 2000 * kMs : ums::kNever});
    witness.begin();
    CHECK(witness.answers());
    clock.advance_to(200 * kMs);
    CHECK_FALSE(witness.answers());
    CHECK(witness.owner() == Owner::works);
    clock.advance_to(1000 * kMs);
    CHECK(witness.owner() == Owner::unknown);
    const bool ends_in_vain = GENERATE(false, true);
    if (ends_in_vain) witness.owner_ended();
    clock.advance_to(1800 * kMs);
    if (!ends_in_vain) witness.owner_ended();
    clock.advance_to(2500 * kMs);
    CHECK(witness.owner() == (!comes_back ? Owner::unknown : ends_in_vain ? Owner::lost : Owner::ended));
}
