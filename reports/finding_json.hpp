// A finding as JSON: docs/findings_format.md. Pure except for the local time zone.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/finding.hpp"

namespace reports {

inline constexpr int kFindingsFormat = 1;

// One JSON object on one line, with '\n'; all keys are always present, in the same order. Bytes that are not UTF-8 (in paths) become
// U+FFFD.
std::string finding_json(const sim::Finding& finding);

// An array of such objects.
nlohmann::ordered_json findings_json(const std::vector<sim::Finding>& findings);

}  // namespace reports
