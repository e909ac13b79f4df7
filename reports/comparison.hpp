// Two runs side by side, before and after a change of the storage: which differences are more than noise. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace reports {

// `compare --json`, of runs and of measurements (measure_comparison.hpp): "kind" tells which.
inline constexpr std::string_view kComparisonDocument = "ioproof comparison";
inline constexpr int kComparisonVersion = 1;

// Both are results documents (results_document.hpp); the names are for people. Files are paired by path; those whose path is in only one of
// the runs, data files with data files and logs with logs, in order.
//
// Noise: the main run of each is cut into up to ten stretches of the same number of intervals; a figure's noise is 2.26 standard errors
// (Student's t for ten stretches, 95 %) of the difference of the two means. With fewer than five stretches noise is not reported.
nlohmann::ordered_json compare_results(const nlohmann::ordered_json& before, const std::string& before_name,
                                       const nlohmann::ordered_json& after, const std::string& after_name);

// As a table for a terminal.
std::string comparison_text(const nlohmann::ordered_json& comparison);

}  // namespace reports
