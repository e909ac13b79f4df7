#include "reports/statistics.hpp"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/students_t.hpp>

namespace reports {

namespace {

// Of the values on one side of a place.
struct LevelSums {
    double count = 0;
    double sum = 0;
    double squares = 0;

    // `sign` -1: takes the value out again.
    void add(double value, int sign) {
        count += sign;
        sum += sign * value;
        squares += sign * value * value;
    }
    // The sum of the squared distances from their mean.
    [[nodiscard]] double unevenness() const { return squares - sum * sum / count; }
};

}  // namespace

// Of 1000 requests exactly one lies beyond 99.9 %, although 99.9 has no exact binary form.
bool has_requests_beyond(double request_count, double percent) { return request_count * (100 - percent) / 100 >= 1 - 1e-8; }

double students_t_95(double freedom) { return boost::math::quantile(boost::math::students_t(freedom), 0.975); }

std::optional<double> SampleSummary::half_interval_percent() const {
    if (!half_interval || mean == 0) return std::nullopt;
    return 100 * *half_interval / std::abs(mean);
}

SampleSummary summary_of(const std::vector<double>& values) {
    SampleSummary summary;
    summary.count = values.size();
    if (values.empty()) return summary;
    const auto count = static_cast<double>(values.size());
    for (const double value : values) summary.mean += value / count;
    if (values.size() < 2) return summary;
    double squares = 0;
    for (const double value : values) squares += (value - summary.mean) * (value - summary.mean);
    summary.deviation = std::sqrt(squares / (count - 1));
    summary.half_interval = students_t_95(count - 1) * summary.deviation / std::sqrt(count);
    return summary;
}

double chance_difference(const MeanError& a, const MeanError& b) {
    const double square_a = a.error * a.error;
    const double square_b = b.error * b.error;
    const double sum = square_a + square_b;
    const double squares = square_a * square_a / a.freedom + square_b * square_b / b.freedom;
    if (squares == 0) return 0;
    return students_t_95(sum * sum / squares) * std::sqrt(sum);
}

std::optional<double> chance_difference(const SampleSummary& a, const SampleSummary& b) {
    if (a.count < 2 || b.count < 2) return std::nullopt;
    const auto error_of = [](const SampleSummary& sample) {
        return MeanError{sample.deviation / std::sqrt(static_cast<double>(sample.count)), static_cast<double>(sample.count - 1)};
    };
    return chance_difference(error_of(a), error_of(b));
}

SteadyState steady_state_of(const std::vector<double>& values) {
    SteadyState state;
    if (values.size() < kSteadyRounds) return state;
    const std::vector<double> last(values.end() - static_cast<std::ptrdiff_t>(kSteadyRounds), values.end());
    constexpr auto kCount = static_cast<double>(kSteadyRounds);
    double mean = 0;
    for (const double value : last) mean += value / kCount;
    if (mean <= 0) return state;
    const auto [least, largest] = std::minmax_element(last.begin(), last.end());
    state.excursion_percent = 100 * (*largest - *least) / mean;
    // Least squares over x = 0 … 4.
    double over = 0;
    double under = 0;
    for (std::size_t i = 0; i < kSteadyRounds; ++i) {
        const double x = static_cast<double>(i) - (kCount - 1) / 2;
        over += x * (last[i] - mean);
        under += x * x;
    }
    state.slope_percent = 100 * std::abs(over / under * (kCount - 1)) / mean;
    state.is_reached = state.excursion_percent <= 20 && state.slope_percent <= 10;
    return state;
}

std::optional<BurstCliff> burst_cliff_of(const std::vector<double>& values, std::size_t plateau_min) {
    constexpr double kFallMin = 0.25;
    constexpr double kUnevenMax = 0.1;
    if (values.size() < 2 * plateau_min) return std::nullopt;
    // The place that leaves the least deviation on both sides together. One value in between may belong to both levels. A measurement in
    // short intervals has hundreds of thousands of values, so one pass must do; distances from the mean keep the squares exact.
    const double mean = summary_of(values).mean;
    LevelSums before_sums;
    LevelSums after_sums;
    for (const double value : values) after_sums.add(value - mean, 1);
    std::size_t best = 0;
    double least = 0;
    for (std::size_t at = 1; at + plateau_min <= values.size(); ++at) {
        before_sums.add(values[at - 1] - mean, 1);
        after_sums.add(values[at - 1] - mean, -1);
        const double uneven = before_sums.unevenness() + after_sums.unevenness();
        if (at < plateau_min || (best > 0 && uneven >= least)) continue;
        least = uneven;
        best = at;
    }
    const auto at = static_cast<std::ptrdiff_t>(best);
    // The second of the fall belongs to both levels.
    const SampleSummary before = summary_of({values.begin(), values.begin() + at - 1});
    const SampleSummary after = summary_of({values.begin() + at + (best + plateau_min < values.size() ? 1 : 0), values.end()});
    const bool is_even = before.deviation <= kUnevenMax * before.mean && after.deviation <= kUnevenMax * after.mean;
    // Storage that does not answer at all has stalled: no credits are used up, and nothing can be sustained.
    if (!is_even || after.mean <= 0 || after.mean > before.mean * (1 - kFallMin)) return std::nullopt;
    return BurstCliff{best, before.mean, after.mean};
}

}  // namespace reports
