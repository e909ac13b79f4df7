#include "sim/rehearsal/fault_plan.hpp"

#include <string>

#include "tests/support/catch.hpp"

using sim::FindingKind;
using sim::parse_fault_plan;

TEST_CASE("a plan is a class and a rate, and the rate has a default") {
    std::string problem;
    const auto plan = parse_fault_plan("stale_read:1e-5", 0.5, problem);
    REQUIRE(plan);
    CHECK(plan->kind == FindingKind::stale_read);
    CHECK(plan->rate == 1e-5);
    CHECK(parse_fault_plan("torn_page", 0.5, problem)->rate == 0.5);
    CHECK(parse_fault_plan("torn_page:1", 0.5, problem)->rate == 1);
}

TEST_CASE("an unknown class or a bad rate is refused, and the error lists what is allowed") {
    for (const char* text : {"", "stale", "stale_read:", "stale_read:0", "stale_read:-1", "stale_read:1.1", "stale_read:1e-5x", ":1"}) {
        std::string problem;
        INFO(text);
        CHECK(!parse_fault_plan(text, 0.5, problem));
        CHECK(problem.find("allowed") != std::string::npos);
    }
}

TEST_CASE("places and phases have names that can be parsed") {
    for (std::uint32_t i = 0; i < sim::kFaultPlaceCount; ++i) {
        const auto place = static_cast<sim::FaultPlace>(i);
        CHECK(sim::fault_place_of(name_of(place)) == place);
    }
    CHECK(!sim::fault_place_of("nowhere"));
    for (const sim::Phase phase : {sim::Phase::initial_update, sim::Phase::main_run, sim::Phase::final_audit}) {
        CHECK(sim::fault_phase_of(sim::switch_name_of(phase)) == phase);
    }
    CHECK(!sim::fault_phase_of("create"));
}
