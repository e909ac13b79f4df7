#include "cli/measuring/measure_demands.hpp"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "cli/process/exit_codes.hpp"
#include "cli/process/json_document.hpp"
#include "reports/measure_comparison.hpp"

namespace cli {

void check_limits(const MeasureDemands& demands, const sim::MeasureTimespan& spec) {
    for (const reports::MeasureLimit& limit : demands.limits) {
        const std::string problem = reports::measure_limit_problem(limit, spec);
        if (!problem.empty()) throw UsageError(fmt::format("--fail-on: {}", problem));
    }
}

std::optional<reports::MeasuredSide> load_baseline(const MeasureDemands& demands, const sim::MeasureSpec& spec) {
    if (demands.baseline_path.empty()) return std::nullopt;
    reports::MeasuredSide baseline = reports::read_measured_side(read_document(demands.baseline_path), demands.baseline_path);
    const std::string problem = reports::baseline_problem(baseline, spec.timespans.front(), spec.verify);
    if (!problem.empty()) throw UsageError(fmt::format("--baseline: {}", problem));
    return baseline;
}

DemandsVerdict judge_demands(const MeasureDemands& demands, const std::optional<reports::MeasuredSide>& baseline,
                             const reports::MeasureRounds& rounds, nlohmann::ordered_json& document) {
    DemandsVerdict verdict;
    for (const reports::MeasureLimit& limit : demands.limits) {
        const reports::MeasureLimitResult result = reports::evaluate_measure_limit(limit, rounds);
        document["limits"].push_back(reports::measure_limit_json(result));
        verdict.text += fmt::format("  {}\n", reports::measure_limit_text(result));
        verdict.are_kept = verdict.are_kept && result.is_kept();
    }
    if (!baseline) return verdict;
    nlohmann::ordered_json comparison = reports::compare_measurements(*baseline, reports::measured_side_of(document, "this measurement"));
    reports::judge_by_baseline(comparison, demands.tolerance_percent.value_or(kTolerancePercent));
    verdict.text += "\n" + reports::measure_comparison_text(comparison) + "\n" + reports::baseline_text(comparison);
    verdict.are_kept = verdict.are_kept && reports::holds_baseline(comparison);
    document["baseline"] = std::move(comparison);
    return verdict;
}

}  // namespace cli
