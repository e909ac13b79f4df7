#include "ums/io/mount_table.hpp"

#include <sstream>
#include <string_view>

namespace ums {

namespace {

// The kernel writes space, tab, newline and backslash as three octal digits.
std::string unescape(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_escape = text[i] == '\\' && i + 3 < text.size();
        if (!is_escape) {
            result += text[i];
            continue;
        }
        int value = 0;
        for (int digit = 0; digit < 3; ++digit) value = value * 8 + (text[++i] - '0');
        result += static_cast<char>(value);
    }
    return result;
}

bool is_below(const std::string& path, const std::string& folder) {
    if (folder == "/") return true;
    return path.compare(0, folder.size(), folder) == 0 && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace

std::string mount_source_of(const std::string& path, std::istream& mountinfo) {
    std::string best_point;
    std::string best_source;
    for (std::string line; std::getline(mountinfo, line);) {
        // id parent major:minor root point options optional… - type source super-options
        std::istringstream fields(line);
        std::string id, parent, number, root, point, field, type, source;
        fields >> id >> parent >> number >> root >> point;
        while (fields >> field && field != "-") {
        }
        if (!(fields >> type >> source)) continue;
        point = unescape(point);
        if (is_below(path, point) && point.size() >= best_point.size()) {
            best_point = point;
            best_source = unescape(source);
        }
    }
    return best_source;
}

}  // namespace ums
