#include "cli/measuring/measure_run.hpp"

#include <cstdint>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "sim/errors.hpp"
#include "tests/support/catch.hpp"

namespace {

// Of a measurement whose round `refused` cannot begin.
template <typename Error = sim::EnvironmentError>
sim::MeasureResults rounds_until(std::uint32_t refused, reports::MeasureRounds& rounds,
                                 const Error& error = sim::EnvironmentError("b.mdx: in use.")) {
    std::uint32_t round = 0;
    const auto measure = [&](const sim::MeasureSpec& /*spec*/, const std::string& /*title*/) {
        if (++round == refused) throw error;
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

TEST_CASE("a round for which the system refuses memory or a thread does not lose the rounds before it, either") {
    reports::MeasureRounds rounds;
    sim::MeasureResults results = rounds_until(2, rounds, std::bad_alloc());
    CHECK(rounds.requests_per_s.size() == 1);
    CHECK_THAT(results.failure_reason, ContainsSubstring("there is not enough memory"));
    reports::MeasureRounds others;
    const std::error_code refused = std::make_error_code(std::errc::resource_unavailable_try_again);
    results = rounds_until(2, others, std::system_error(refused, "cannot start a thread"));
    CHECK(others.requests_per_s.size() == 1);
    CHECK_THAT(results.failure_reason, ContainsSubstring("cannot start a thread"));
    CHECK(cli::measure_exit_code(results) == cli::ExitCode::environment);
}

TEST_CASE("each round has a number, by which its random places differ from those of the others") {
    std::vector<std::uint32_t> numbers;
    const auto measure = [&](const sim::MeasureSpec& spec, const std::string& /*title*/) {
        numbers.push_back(spec.timespans.at(0).round);
        sim::MeasureResults results;
        results.timespans.emplace_back();
        return results;
    };
    sim::MeasureSpec spec;
    spec.timespans.emplace_back();
    cli::RoundPlan plan;
    plan.rounds = 3;
    reports::MeasureRounds rounds;
    const auto never = [] { return false; };
    const auto ignore = [](const sim::MeasureResults& /*results*/) {};
    static_cast<void>(cli::measure_rounds(measure, never, spec, plan, rounds, ignore));
    CHECK(numbers == std::vector<std::uint32_t>{0, 1, 2});
}
