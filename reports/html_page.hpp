// Pages of results: one self-contained file each, which needs neither network nor other files; light or dark like the browser, printable.
// Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace reports {

// Findings that a page holds with their facts; more are counted by kind.
inline constexpr std::size_t kHtmlFindings = 500;

// `results` is a results document (results_document.hpp).
std::string html_report(const nlohmann::ordered_json& results);

// `comparison` is what compare_results() returns.
std::string html_comparison(const nlohmann::ordered_json& comparison);

// `comparison` is what compare_measurements() returns.
std::string html_measure_comparison(const nlohmann::ordered_json& comparison);

// `document` is what measure_json() or bench_json() makes, with the additions of `ioproof bench`: one measurement.
std::string html_measurement(const nlohmann::ordered_json& document);

// `group` is what merged_results() returns: all hosts, on one time axis.
std::string html_merged(const nlohmann::ordered_json& group);

// `campaign` is what campaign_document() returns, `plain` its text.
std::string html_campaign(const nlohmann::ordered_json& campaign, const std::string& plain);

// JSON that may stand in a script element of a page: nothing in it ends the element or begins a comment.
std::string script_safe(const nlohmann::ordered_json& json);

}  // namespace reports
