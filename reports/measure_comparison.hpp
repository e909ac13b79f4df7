// Two measurements side by side, before and after: which differences are more than chance, and whether a measurement meets a baseline.
// Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "reports/measured_side.hpp"
#include "sim/bench/measure_spec.hpp"

namespace reports {

// Throws ResultsDocumentError unless both are of the same kind. Targets are paired by class and path, then by class in order; series of a
// sweep by name.
//
// Noise: how far the means of the rounds may lie apart by chance, in 95 of 100 cases (chance_difference()); of percentiles at least one
// bucket of the histogram. If a side has only one round, as sweeps do, noise is not reported.
[[nodiscard]] nlohmann::ordered_json compare_measurements(const MeasuredSide& before, const MeasuredSide& after);

// As tables for a terminal.
[[nodiscard]] std::string measure_comparison_text(const nlohmann::ordered_json& comparison);

// The first difference between what `spec` and the baseline request, for people; empty if the two can be compared.
[[nodiscard]] std::string baseline_problem(const MeasuredSide& baseline, const sim::MeasureTimespan& spec, bool wants_verification);

// Adds to a comparison with a baseline, as "baseline", its tolerance and the figures that miss it. Judges only the figures that vary least:
// requests per second and average latency, of every target and of all. A figure fails if it is worse by more than `tolerance_percent` and,
// if the noise is known, by more than the noise or, with four rounds on each side (or three and five, two and eight), in every round.
void judge_by_baseline(nlohmann::ordered_json& comparison, double tolerance_percent);
[[nodiscard]] bool holds_baseline(const nlohmann::ordered_json& comparison);
[[nodiscard]] std::string baseline_text(const nlohmann::ordered_json& comparison);

}  // namespace reports
