#include "sim/files/tempdb_files.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace sim {

std::string tempdb_folder(const Options& options) {
    const auto first = std::find_if(options.files.begin(), options.files.end(), [](const FileOptions& file) { return !file.is_log; });
    const std::filesystem::path beside = first == options.files.end() ? "" : std::filesystem::path(first->path).parent_path();
    return (beside / options.tempdb_user.folder).lexically_normal().string();
}

void add_tempdb_files(Options& options) {
    const bool are_there = std::any_of(options.files.begin(), options.files.end(), [](const FileOptions& file) { return file.is_tempdb; });
    if (options.tempdb_user.user_count == 0 || are_there) return;
    const std::filesystem::path folder = tempdb_folder(options);
    for (std::uint32_t number = 1; number <= options.tempdb_user.file_count; ++number) {
        FileOptions file;
        file.path = (folder / fmt::format("tempdb{}.mdx", number)).lexically_normal().string();
        file.initial_size_mb = file.max_size_mb = options.tempdb_user.file_size_mb;
        file.durability = Durability::none;
        file.is_tempdb = true;
        options.files.push_back(std::move(file));
    }
}

}  // namespace sim
