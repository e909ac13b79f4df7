#include "ums/io/mount_table.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

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

void add_options(std::vector<std::string>& options, const std::string& text) {
    std::istringstream fields(text);
    for (std::string option; std::getline(fields, option, ',');) {
        if (std::find(options.begin(), options.end(), option) == options.end()) options.push_back(option);
    }
}

}  // namespace

std::vector<Mount> read_mounts(std::istream& mountinfo) {
    std::vector<Mount> mounts;
    for (std::string line; std::getline(mountinfo, line);) {
        // id parent major:minor root point options optional… - type source super-options
        std::istringstream fields(line);
        std::string id, parent, options, field, super_options;
        Mount mount;
        fields >> id >> parent >> mount.device >> mount.root >> mount.point >> options;
        while (fields >> field && field != "-") {
        }
        if (!(fields >> mount.type >> mount.source)) continue;
        fields >> super_options;
        mount.root = unescape(mount.root);
        mount.point = unescape(mount.point);
        mount.source = unescape(mount.source);
        add_options(mount.options, options);
        add_options(mount.options, super_options);
        mounts.push_back(std::move(mount));
    }
    return mounts;
}

std::vector<Mount> mounts_of_this_process() {
    std::ifstream mountinfo("/proc/self/mountinfo");
    return read_mounts(mountinfo);
}

std::optional<Mount> mount_of(const std::string& path, const std::vector<Mount>& mounts) {
    const Mount* best = nullptr;
    for (const Mount& mount : mounts) {
        if (is_below(path, mount.point) && (best == nullptr || mount.point.size() >= best->point.size())) best = &mount;
    }
    return best == nullptr ? std::nullopt : std::optional(*best);
}

std::string mount_source_of(const std::string& path, std::istream& mountinfo) {
    const auto mount = mount_of(path, read_mounts(mountinfo));
    return mount ? mount->source : std::string();
}

}  // namespace ums
