// Files that are handed from host to host in virtual time.
#include "sim/rehearsal/hand_over.hpp"

#include "tests/sim/rehearsal/hosts_rehearsals.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"

using sim::HandOverFault;
using sim::HostsTally;
using sim::testing::add_rehearsals;

TEST_CASE("faults between hosts are found and named, and an honest volume is never blamed") {
    for (std::uint32_t i = 0; i < sim::kHandOverFaultCount; ++i) {
        const auto fault = static_cast<HandOverFault>(i);
        HostsTally sum;
        const std::uint64_t seeds = test::fewer_if_sanitized(8);
        add_rehearsals(seeds, sum, [&](std::uint64_t seed) { return sim::rehearse_hand_over(seed, fault); });
        INFO(name_of(fault));
        if (seeds < 8) continue;
        CHECK(sum.hosts > 0);
        CHECK((sum.given > 0) == (fault != HandOverFault::honest));
    }
}

TEST_CASE("the next owner demands what was promised while the witness was there, and nothing else") {
    for (const sim::HostLoss loss : {sim::HostLoss::witness_away, sim::HostLoss::witness_lost}) {
        HostsTally sum;
        const std::uint64_t seeds = test::fewer_if_sanitized(8);
        for (const HandOverFault fault : {HandOverFault::honest, HandOverFault::lost_write})
            add_rehearsals(seeds, sum, [&](std::uint64_t seed) { return sim::rehearse_hand_over(seed, fault, loss); });
        INFO(name_of(loss));
        if (seeds < 8) continue;
        CHECK(sum.losses == 2 * seeds);
        CHECK(sum.given > 0);
    }
}

TEST_CASE("the same seed hands over the same files") {
    for (const HandOverFault fault : {HandOverFault::late_write, HandOverFault::zombie}) {
        CHECK(sim::rehearse_hand_over(5, fault).text == sim::rehearse_hand_over(5, fault).text);
    }
}

TEST_CASE("each fault between hosts has its own name, and all but honest must be explained") {
    sim::testing::check_names(sim::kHandOverFaultCount, sim::hand_over_fault_of);
    for (std::uint32_t i = 0; i < sim::kHandOverFaultCount; ++i) {
        const auto fault = static_cast<HandOverFault>(i);
        CHECK(sim::expected_fact(fault).has_value() == (fault != HandOverFault::honest));
    }
}
