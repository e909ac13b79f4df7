// Names that belong to databases: nothing is written there, whatever is there now.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace sim {

// *.mdf, *.ndf and *.ldf, in any case.
[[nodiscard]] inline bool is_database_name(std::string_view path) {
    if (path.size() < 4) return false;
    std::string end(path.substr(path.size() - 4));
    std::transform(end.begin(), end.end(), end.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return end == ".mdf" || end == ".ndf" || end == ".ldf";
}

}  // namespace sim
