#include "sim/files/free_space.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "sim/files/file_names.hpp"
#include "ums/io/mount_table.hpp"

namespace sim {

namespace {

std::string file_system_name(const std::string& folder) {
    std::error_code error;
    const std::filesystem::path canonical = std::filesystem::canonical(folder, error);
    const auto mount = error ? std::nullopt : ums::mount_of(canonical.string(), ums::mounts_of_this_process());
    return mount ? fmt::format("{} ({})", mount->point, mount->type) : fmt::format("of {}", folder);
}

}  // namespace

std::string free_space_text(ums::Storage& storage, const std::string& path) {
    const std::string folder = folder_of(path);
    std::uint64_t free_bytes = 0;
    if (storage.free_space(folder, free_bytes))
        return fmt::format("How much the file system {} has free is not known.", file_system_name(folder));
    return fmt::format("The file system {} has {} MB free.", file_system_name(folder), free_bytes >> 20);
}

}  // namespace sim
