#include "cli/measure_run.hpp"

#include <cstdint>
#include <string>

#include "sim/errors.hpp"
#include "tests/support/catch.hpp"

namespace {

// Of a measurement whose round `refused` cannot begin.
sim::MeasureResults rounds_until(std::uint32_t refused, reports::MeasureRounds& rounds) {
    std::uint32_t round = 0;
    const auto measure = [&](const sim::MeasureSpec& /*spec*/, const std::string& /*title*/) {
        if (++round == refused) throw sim::EnvironmentError("b.mdx: in use.");
        sim::MeasureResults results;
        results.timespans.emplace_back();
        return results;
    };
    cli::RoundPlan plan;
    plan.rounds = 5;
    const auto never = [] { return false; };
    const auto ignore = [](const sim::MeasureResults& /*results*/) {};
    return cli::measure_rounds(measure, never, {}, plan, rounds, ignore);
}

}  // namespace

TEST_CASE("a round that cannot begin does not lose what the rounds before it have measured") {
    reports::MeasureRounds rounds;
    const sim::MeasureResults results = rounds_until(3, rounds);
    CHECK(rounds.requests_per_s.size() == 2);
    CHECK(results.timespans.size() == 1);
    CHECK(results.failure_reason == "b.mdx: in use.");
    CHECK(cli::measure_exit_code(results) == cli::ExitCode::environment);
    reports::MeasureRounds none;
    CHECK_THROWS_AS(rounds_until(1, none), sim::EnvironmentError);
}
