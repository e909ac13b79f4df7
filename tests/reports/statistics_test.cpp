#include "reports/statistics.hpp"

#include <cmath>
#include <cstdint>
#include <ctime>
#include <vector>

#include "tests/support/catch.hpp"

using namespace reports;

namespace {

bool is_near(double value, double right) { return std::abs(value - right) <= 1e-3 * std::abs(right); }

bool may_be_chance(const SampleSummary& a, const SampleSummary& b) {
    const auto chance = chance_difference(a, b);
    REQUIRE(chance);
    return std::abs(a.mean - b.mean) <= *chance;
}

}  // namespace

TEST_CASE("Student's t agrees with the tables") {
    CHECK(is_near(students_t_95(1), 12.706));
    CHECK(is_near(students_t_95(4), 2.776));
    CHECK(is_near(students_t_95(9), 2.262));
    CHECK(is_near(students_t_95(1000), 1.962));
}

TEST_CASE("a percentile needs one request beyond it, and exactly one is enough") {
    CHECK(has_requests_beyond(2, 50));
    CHECK_FALSE(has_requests_beyond(1, 50));
    std::uint64_t count = 1000;
    for (const double percent : {99.9, 99.99, 99.999, 99.9999, 99.99999, 99.999999}) {
        INFO(percent);
        CHECK(has_requests_beyond(static_cast<double>(count), percent));
        CHECK_FALSE(has_requests_beyond(static_cast<double>(count) * 0.999, percent));
        count *= 10;
    }
    CHECK_FALSE(has_requests_beyond(0, 25));
    CHECK_FALSE(has_requests_beyond(1e9, 100));
}

TEST_CASE("mean, deviation and confidence interval of known samples are right") {
    // Checked by hand; NIST's example data would serve as well.
    const SampleSummary summary = summary_of({10, 12, 14, 16, 18});
    CHECK(summary.count == 5);
    CHECK(is_near(summary.mean, 14));
    CHECK(is_near(summary.deviation, 3.16228));
    REQUIRE(summary.half_interval);
    CHECK(is_near(*summary.half_interval, 2.776 * 3.16228 / std::sqrt(5.0)));
    CHECK(is_near(*summary.half_interval_percent(), 100 * *summary.half_interval / 14));
    CHECK_FALSE(summary_of({5}).half_interval);
    CHECK(summary_of({5}).mean == 5);
    CHECK(summary_of({}).count == 0);
}

TEST_CASE("means differ clearly if their intervals say so, and not by chance") {
    const SampleSummary slow = summary_of({100, 101, 99, 100, 100});
    CHECK_FALSE(may_be_chance(slow, summary_of({110, 111, 109, 110, 110})));
    CHECK(may_be_chance(slow, summary_of({90, 115, 95, 105, 96})));
    CHECK_FALSE(chance_difference(slow, summary_of({110})));
    CHECK(may_be_chance(summary_of({5, 5}), summary_of({5, 5})));
    CHECK_FALSE(may_be_chance(summary_of({5, 5}), summary_of({6, 6})));
}

TEST_CASE("deviations whose squares are too small for a number count as none") {
    const SampleSummary tiny = summary_of({1e-100, 2e-100});
    CHECK(tiny.deviation > 0);
    CHECK(chance_difference(tiny, tiny) == 0.0);
    CHECK(chance_difference(tiny, summary_of({5, 5})) == 0.0);
}

TEST_CASE("errors of two means decide by Welch's test how far the means may lie apart") {
    // Known answers: equal errors and degrees of freedom give twice these degrees, t(8; 0.975) = 2.306; a side without an error adds none.
    CHECK(is_near(chance_difference(MeanError{3, 4}, MeanError{3, 4}), 2.306 * 3 * std::sqrt(2.0)));
    CHECK(is_near(chance_difference(MeanError{3, 9}, MeanError{0, 4}), 2.262 * 3));
    CHECK(chance_difference(MeanError{1e-100, 4}, MeanError{0, 4}) == 0.0);
}

TEST_CASE("steady state takes five rounds, within 20 percent and without a slope above 10") {
    CHECK_FALSE(steady_state_of({100, 100, 100, 100}).is_reached);
    CHECK(steady_state_of({500, 300, 100, 101, 99, 100, 100}).is_reached);
    CHECK_FALSE(steady_state_of({100, 100, 100, 100, 130}).is_reached);
    // Within 20 %, but always falling: 8 of 100 in four steps are 8 %, 12 are 12 %.
    CHECK(steady_state_of({104, 102, 100, 98, 96}).is_reached);
    const SteadyState falling = steady_state_of({106, 103, 100, 97, 94});
    CHECK(is_near(falling.slope_percent, 12));
    CHECK(is_near(falling.excursion_percent, 12));
    CHECK_FALSE(falling.is_reached);
    CHECK_FALSE(steady_state_of({0, 0, 0, 0, 0}).is_reached);
}

TEST_CASE("a plateau after a cliff is reported with its place, and nothing else is called a cliff") {
    std::vector<double> credits(20, 3000);
    credits.push_back(1800);
    credits.insert(credits.end(), 40, 500);
    const auto cliff = burst_cliff_of(credits);
    REQUIRE(cliff);
    CHECK(cliff->at >= 20);
    CHECK(cliff->at <= 21);
    CHECK(is_near(cliff->before, 3000));
    CHECK(is_near(cliff->after, 500));
    CHECK_FALSE(burst_cliff_of(std::vector<double>(60, 1000)));
    std::vector<double> slope;
    for (int i = 0; i < 60; ++i) slope.push_back(3000 - 40.0 * i);
    CHECK_FALSE(burst_cliff_of(slope));
    std::vector<double> saw;
    for (int i = 0; i < 60; ++i) saw.push_back(i % 7 == 0 ? 500 : 3000);
    CHECK_FALSE(burst_cliff_of(saw));
    std::vector<double> rise(20, 500);
    rise.insert(rise.end(), 20, 3000);
    CHECK_FALSE(burst_cliff_of(rise));
    CHECK_FALSE(burst_cliff_of({3000, 3000, 500, 500}));
    std::vector<double> stall(20, 3000);
    stall.insert(stall.end(), 20, 0);
    CHECK_FALSE(burst_cliff_of(stall));
}

TEST_CASE("the cliff of an hour in intervals of 10 ms is found without delay") {
    std::vector<double> values(200'000, 3000);
    values.insert(values.end(), 160'000, 500);
    const std::clock_t begin = std::clock();
    const auto cliff = burst_cliff_of(values);
    CHECK((std::clock() - begin) / CLOCKS_PER_SEC < 5);
    REQUIRE(cliff);
    CHECK(cliff->at == 200'000);
    CHECK(is_near(cliff->before, 3000));
    CHECK(is_near(cliff->after, 500));
}
