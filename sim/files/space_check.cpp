#include "sim/files/space_check.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "sim/errors.hpp"
#include "sim/files/file_names.hpp"
#include "ums/base/units.hpp"
#include "ums/io/mount_table.hpp"

namespace sim {
namespace {

using ums::kMb;

std::string file_system_name(const std::string& folder) {
    std::error_code error;
    const std::filesystem::path canonical = std::filesystem::canonical(folder, error);
    const auto mount = error ? std::nullopt : ums::mount_of(canonical.string(), ums::mounts_of_this_process());
    return mount ? fmt::format("{} ({})", mount->point, mount->type) : fmt::format("of {}", folder);
}

struct Demand {
    std::string path;  // of the first file
    std::string folder;
    std::uint64_t files = 0;
    std::uint64_t needed_bytes = 0;
    std::uint64_t freed_bytes = 0;

    void add(const FileClaim& claim) {
        if (files++ == 0) path = claim.file.path;
        if (claim.is_replaced) freed_bytes += claim.found.freed_by_removal_bytes;
        if (claim.file.sparse && !claim.file.is_log) return;
        const std::uint64_t kept_bytes = claim.is_missing() || claim.is_replaced ? 0 : claim.found.size_bytes;
        needed_bytes += claim.size_bytes - std::min(claim.size_bytes, kept_bytes);
    }
};

void refuse(const Demand& demand, std::uint64_t free_bytes) {
    const std::string whose = demand.files == 1 ? demand.path : fmt::format("{} and {} more", demand.path, demand.files - 1);
    const std::string freed =
        demand.freed_bytes == 0 ? "" : fmt::format(" with the {} MB of the files that would be replaced", demand.freed_bytes / kMb);
    throw EnvironmentError(fmt::format("{}: not enough space: {} MB are needed, {} MB are free in {}{}.", whose, demand.needed_bytes / kMb,
                                       (free_bytes + demand.freed_bytes) / kMb, demand.folder, freed));
}

}  // namespace

std::string free_space_text(ums::Storage& storage, const std::string& path) {
    const std::string folder = folder_of(path);
    std::uint64_t free_bytes = 0;
    if (storage.free_space(folder, free_bytes))
        return fmt::format("How much the file system {} has free is not known.", file_system_name(folder));
    return fmt::format("The file system {} has {} MB free.", file_system_name(folder), free_bytes >> 20);
}

std::string reservation_text(const std::error_code& error) {
    if (error != std::errc::operation_not_supported) return "";
    return " The file system cannot reserve space for a file (fallocate), which SQL Server needs: use XFS, ext4, or NFS 4.2.";
}

void check_space(std::span<const std::unique_ptr<FileClaim>> claims, ums::Storage& storage, Journal& journal) {
    std::map<std::uint64_t, Demand> demands;  // by file system
    for (const auto& claim : claims) {
        if (claim->is_device()) continue;
        const std::string folder = folder_of(claim->file.path);
        ums::FileStatus status;
        {
            const WatchedCall watched(journal, "query of the folder", folder);
            if (storage.status(folder, status)) continue;
        }
        Demand& demand = demands[status.file_system_id];
        if (demand.folder.empty()) demand.folder = folder;
        demand.add(*claim);
    }
    for (const auto& [device, demand] : demands) {
        std::uint64_t free_bytes = 0;
        const WatchedCall watched(journal, "query of the free space", demand.path);
        if (storage.free_space(demand.folder, free_bytes)) continue;
        // File systems without a limit say that almost 2^64 bytes are free.
        const std::uint64_t more_bytes = demand.needed_bytes - std::min(demand.needed_bytes, demand.freed_bytes);
        if (more_bytes > free_bytes) refuse(demand, free_bytes);
    }
}

}  // namespace sim
