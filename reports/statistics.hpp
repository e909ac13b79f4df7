// What repeated measurements show together. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace reports {

// Whether at least one of so many requests lies beyond this percentile, in percent: otherwise it would merely be the longest one.
[[nodiscard]] bool has_requests_beyond(double request_count, double percent);

// How many standard errors the mean of some values may differ from the true one, in 95 of 100 cases: two-sided Student's t with `freedom`
// degrees of freedom. `freedom` > 0, but not necessarily whole (Welch's test).
[[nodiscard]] double students_t_95(double freedom);

struct SampleSummary {
    std::size_t count = 0;
    double mean = 0;
    double deviation = 0;                 // standard deviation of the sample (n - 1); 0 with one value
    std::optional<double> half_interval;  // of the 95 % confidence interval of the mean: mean ± this; nothing with one value
    [[nodiscard]] std::optional<double> half_interval_percent() const;  // of the mean
};

[[nodiscard]] SampleSummary summary_of(const std::vector<double>& values);

// How sure a mean is.
struct MeanError {
    double error = 0;    // standard error, at least 0
    double freedom = 0;  // its degrees of freedom, more than 0
};

// How far apart two means with equal true values may lie by chance, in 95 of 100 cases: Welch's test, whose degrees of freedom follow from
// both sides (B. L. Welch, Biometrika 34, 1947). Errors that are too small for their squares count as none.
[[nodiscard]] double chance_difference(const MeanError& a, const MeanError& b);
// The same for the means of two samples; nothing with fewer than two values on a side.
[[nodiscard]] std::optional<double> chance_difference(const SampleSummary& a, const SampleSummary& b);

// Steady state as SNIA's Solid State Storage Performance Test Specification defines it (PTS 2.0.2, 2.1.24): over the last five rounds the
// largest and the smallest value are no more than 20 % of their mean apart, and the line fitted to them changes by no more than 10 % of it.
inline constexpr std::size_t kSteadyRounds = 5;
struct SteadyState {
    bool is_reached = false;
    double excursion_percent = 0;  // largest minus smallest value, relative to the mean
    double slope_percent = 0;      // change of the fitted line over the rounds, relative to the mean
};
// Of the last kSteadyRounds values; never reached with fewer.
[[nodiscard]] SteadyState steady_state_of(const std::vector<double>& values);

// A disk with burst credits is fast until they are used up, and slow from then on: a cliff between two plateaus.
struct BurstCliff {
    std::size_t at = 0;  // index of the first value of the lower plateau
    double before = 0;   // mean of each plateau
    double after = 0;
};
inline constexpr std::size_t kPlateauMin = 5;
// Found if the level falls once, by a quarter or more, and both sides are even (their standard deviation is at most a tenth of their mean)
// for `plateau_min` values or more. Nothing else counts as a cliff, and no fall to 0, which is a stall.
[[nodiscard]] std::optional<BurstCliff> burst_cliff_of(const std::vector<double>& values, std::size_t plateau_min = kPlateauMin);

}  // namespace reports
