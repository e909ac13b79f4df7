// The results of a preflight, as text and as JSON. Pure.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sim/preflight_line.hpp"

namespace reports {

// One line for each check, folder by folder; below those that are not OK, the reason, the source and the fix. At most `width` columns,
// except for longer words. Ends with a summary sentence.
[[nodiscard]] std::string preflight_text(const std::vector<sim::PreflightLine>& lines, std::size_t width);

// Only the last sentence: "3 OK, 1 WARN, 0 FAIL: …".
[[nodiscard]] std::string preflight_summary(const std::vector<sim::PreflightLine>& lines);

// A single line, for logs: "preflight /mnt/data: WARN access times: relatime: reading …. Fix: …".
[[nodiscard]] std::string preflight_sentence(const sim::PreflightLine& line);

// [{"folder", "topic", "grade", "found", "reason", "source", "cure"}, …]
[[nodiscard]] nlohmann::ordered_json preflight_lines_json(const std::vector<sim::PreflightLine>& lines);
inline constexpr std::string_view kPreflightDocument = "ioproof preflight";
// {"document": kPreflightDocument, "version": 1, "ok": …, "warn": …, "fail": …, "lines": as above}
[[nodiscard]] std::string preflight_json(const std::vector<sim::PreflightLine>& lines);

}  // namespace reports
