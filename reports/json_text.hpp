// JSON as text. Names of files are bytes: those that are not UTF-8 are replaced, or the document could not be read.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace reports {

// On one line, with its end.
[[nodiscard]] inline std::string json_line(const nlohmann::ordered_json& json) {
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

// Indented, for people who look into it.
[[nodiscard]] inline std::string json_text(const nlohmann::ordered_json& json) {
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

// The mark by which a json_text() whose "document" is `name` is recognised (for OutputFile).
[[nodiscard]] inline std::string json_mark(std::string_view name) { return fmt::format("\"document\": \"{}\"", name); }

}  // namespace reports
