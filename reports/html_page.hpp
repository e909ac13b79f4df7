// Pages of results: one self-contained file each, which needs neither network nor other files; light or dark like the browser; printable.
// Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace reports {

// How many findings a page shows with their facts, and the first of each kind besides (sim/kept_findings.hpp); the rest are counted by
// kind.
inline constexpr std::size_t kHtmlFindings = 500;

// `results`: a results document (results_document.hpp).
std::string html_report(const nlohmann::ordered_json& results);

// `comparison`: from compare_results().
std::string html_comparison(const nlohmann::ordered_json& comparison);

// `comparison`: from compare_measurements().
std::string html_measure_comparison(const nlohmann::ordered_json& comparison);

// One measurement. `document`: from measure_json() or bench_json(), with what `ioproof bench` adds.
std::string html_measurement(const nlohmann::ordered_json& document);

// All hosts on one time axis. `group`: from merged_results().
std::string html_merged(const nlohmann::ordered_json& group);

// `campaign`: from campaign_document(). `plain`: its text.
std::string html_campaign(const nlohmann::ordered_json& campaign, const std::string& plain);

// JSON for a script element of a page: nothing in it can end the element or begin a comment.
std::string script_safe(const nlohmann::ordered_json& json);

}  // namespace reports
