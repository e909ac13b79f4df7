// Files that are handed from host to host in virtual time.
#include "sim/rehearsal/hand_over.hpp"

#include <set>

#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"

using sim::HandOverFault;
using sim::HandOverReport;
using sim::HandOverTally;

TEST_CASE("what goes wrong between hosts is found and named, and an honest volume is never blamed") {
    for (std::uint32_t i = 0; i < sim::kHandOverFaultCount; ++i) {
        const auto fault = static_cast<HandOverFault>(i);
        HandOverTally sum;
        const std::uint64_t seeds = test::virtual_runs(8);
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
            const HandOverReport report = sim::rehearse_hand_over(seed, fault);
            INFO(report.text << report.problem);
            CHECK(report.problem == "");
            CHECK(report.tally.is_good());
            sum.add(report.tally);
        }
        INFO(name_of(fault));
        if (seeds < 8) continue;
        CHECK(sum.hand_overs > 0);
        CHECK((sum.given > 0) == (fault != HandOverFault::honest));
    }
}

TEST_CASE("the same seed hands over the same files") {
    for (const HandOverFault fault : {HandOverFault::late_write, HandOverFault::zombie}) {
        CHECK(sim::rehearse_hand_over(5, fault).text == sim::rehearse_hand_over(5, fault).text);
    }
}

TEST_CASE("a fault that was given and not found, or called by another name, is no good") {
    HandOverTally tally{.hand_overs = 1, .injected = 3, .given = 2, .found = 2, .named_right = 2, .false_alarms = 0};
    CHECK(tally.is_good());
    tally.named_right = 1;
    CHECK_FALSE(tally.is_good());
    tally = {.hand_overs = 1, .injected = 3, .given = 2, .found = 1, .named_right = 1, .false_alarms = 0};
    CHECK_FALSE(tally.is_good());
    tally = {.hand_overs = 1, .injected = 0, .given = 0, .found = 0, .named_right = 0, .false_alarms = 1};
    CHECK_FALSE(tally.is_good());
}

TEST_CASE("each fault between hosts has a name of its own, and all but honest must be named") {
    std::set<std::string_view> names;
    for (std::uint32_t i = 0; i < sim::kHandOverFaultCount; ++i) {
        const auto fault = static_cast<HandOverFault>(i);
        names.insert(name_of(fault));
        CHECK(sim::hand_over_fault_of(name_of(fault)) == fault);
        CHECK(sim::expected_fact(fault).has_value() == (fault != HandOverFault::honest));
    }
    CHECK(names.size() == sim::kHandOverFaultCount);
    CHECK_FALSE(sim::hand_over_fault_of("ghost"));
}
