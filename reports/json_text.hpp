// Writes JSON as text. File names are bytes: those that are not UTF-8 are replaced, because the document would be unreadable otherwise.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace reports {

// One line, including its end.
[[nodiscard]] inline std::string json_line(const nlohmann::ordered_json& json) {
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

// Indented, for people who look at it.
[[nodiscard]] inline std::string json_text(const nlohmann::ordered_json& json) {
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

// The mark by which OutputFile recognizes a json_text() whose "document" is `name`.
[[nodiscard]] inline std::string json_mark(std::string_view name) { return fmt::format("\"document\": \"{}\"", name); }

}  // namespace reports
