// What a pipeline demands of a measurement: limits (--fail-on), and to be no worse than an earlier one (--baseline, --tolerance).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "reports/measure_limits.hpp"
#include "reports/measure_rounds.hpp"
#include "reports/measured_side.hpp"
#include "sim/bench/measure_spec.hpp"

namespace cli {

inline constexpr double kTolerancePercent = 5;

struct MeasureDemands {
    std::vector<reports::MeasureLimit> limits;
    std::string baseline_path;  // empty: none
    std::optional<double> tolerance_percent;
};

// Throws UsageError if a limit names something that the measurement does not have.
void check_limits(const MeasureDemands& demands, const sim::MeasureTimespan& spec);

// Nothing if there is no baseline. Throws UsageError if the baseline is of another measurement, and whatever read_document() throws.
[[nodiscard]] std::optional<reports::MeasuredSide> load_baseline(const MeasureDemands& demands, const sim::MeasureSpec& spec);

struct DemandsVerdict {
    std::string text;
    bool are_kept = true;
};
// Judges a completed measurement, and adds "limits" and "baseline" to its document.
[[nodiscard]] DemandsVerdict judge_demands(const MeasureDemands& demands, const std::optional<reports::MeasuredSide>& baseline,
                                           const reports::MeasureRounds& rounds, nlohmann::ordered_json& document);

}  // namespace cli
