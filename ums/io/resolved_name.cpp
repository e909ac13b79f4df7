#include "ums/io/resolved_name.hpp"

#include <algorithm>
#include <filesystem>

namespace ums {

namespace fs = std::filesystem;

namespace {

bool is_link(const fs::path& path) {
    std::error_code error;
    return fs::is_symlink(fs::symlink_status(path, error));
}

bool has_link(const fs::path& folder) {
    fs::path walked;
    return std::any_of(folder.begin(), folder.end(), [&](const fs::path& part) { return is_link(walked /= part); });
}

}  // namespace

std::error_code resolve_name(const std::string& path, std::string& resolved) {
    const fs::path named(path);
    const fs::path folder = named.has_parent_path() ? named.parent_path() : fs::path(".");
    std::error_code error;
    const fs::path canonical = fs::canonical(folder, error);
    if (error) return error;
    if (!fs::is_directory(canonical, error)) return error ? error : std::make_error_code(std::errc::not_a_directory);
    fs::path result = has_link(folder) ? canonical / named.filename() : named;
    if (is_link(result) && fs::is_block_file(result, error)) result = fs::canonical(result, error);
    resolved = result.string();
    return {};
}

}  // namespace ums
