// Two runs side by side, before and after a change of the storage, and which differences exceed the noise. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace reports {

// The document of `compare --json`, for runs and for measurements (measure_comparison.hpp): "kind" tells which.
inline constexpr std::string_view kComparisonDocument = "ioproof comparison";
inline constexpr int kComparisonVersion = 1;

// Both are results documents (results_document.hpp); the names are for people. Files are paired by path. Files whose path is in only one of
// the runs are paired in order, data files with data files and logs with logs.
//
// Noise: each main run is divided into up to ten stretches of the same number of intervals; the noise of a figure is how far its two means
// may lie apart by chance, in 95 of 100 cases (Welch's test over the stretches). With fewer than five stretches, noise is not reported.
nlohmann::ordered_json compare_results(const nlohmann::ordered_json& before, const std::string& before_name,
                                       const nlohmann::ordered_json& after, const std::string& after_name);

// As a table for a terminal.
std::string comparison_text(const nlohmann::ordered_json& comparison);

}  // namespace reports
