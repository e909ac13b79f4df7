#include "sim/files/file_names.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <system_error>

#include <fmt/format.h>

#include "sim/database_name.hpp"
#include "sim/errors.hpp"

namespace sim {

namespace {

// The first folder on the way that is a link to nothing; empty if there is none.
std::string dangling_link_on(const std::string& folder, ums::Storage& storage) {
    for (std::size_t end = folder.find('/', 1);; end = folder.find('/', end + 1)) {
        const std::string part = folder.substr(0, end);
        ums::FileStatus status;
        if (storage.status(part, status)) return {};
        if (status.kind == ums::FileKind::link && status.is_dangling) return fmt::format("{} leads to {}", part, status.link_target);
        if (end == std::string::npos) return {};
    }
}

[[noreturn]] void fail_to_resolve(const std::string& path, std::error_code error, ums::Storage& storage) {
    const std::string folder = folder_of(path);
    if (error == std::errc::filename_too_long) throw RefusedError(fmt::format("{}: the name is too long.", path));
    if (error == std::errc::too_many_symbolic_link_levels) {
        throw EnvironmentError(fmt::format("{}: the symbolic links in {} form a loop.", path, folder));
    }
    if (error == std::errc::not_a_directory) throw EnvironmentError(fmt::format("{}: {} is not a folder.", path, folder));
    if (error != std::errc::no_such_file_or_directory) {
        throw EnvironmentError(fmt::format("{}: the folder {} cannot be examined: {}.", path, folder, error.message()));
    }
    const std::string link = dangling_link_on(folder, storage);
    if (!link.empty()) throw EnvironmentError(fmt::format("{}: the symbolic link {}, where nothing is.", path, link));
    throw EnvironmentError(fmt::format("{}: the folder {} does not exist.", path, folder));
}

void take_name(FileOptions& file, std::string resolved) {
    if (resolved == file.path) return;
    if (file.named_as.empty()) file.named_as = file.path;
    file.path = std::move(resolved);
}

}  // namespace

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.find_last_of('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

void refuse_dangerous_name(std::string_view path, bool are_databases_allowed) {
    if (are_databases_allowed || !is_database_name(path)) return;
    throw RefusedError(
        fmt::format("{}: refused: *.mdf, *.ndf and *.ldf are names of real databases. Use *.mdx and *.ldx for test files.", path));
}

void refuse_file_among_devices(std::string_view path) {
    if (!path.starts_with("/dev/") || path.starts_with("/dev/shm/")) return;
    throw RefusedError(fmt::format("{}: refused: there is no such device, and a file in /dev would be made of memory.", path));
}

void resolve_name(FileOptions& file, ums::Storage& storage) {
    std::string resolved;
    if (const auto error = storage.resolve(file.path, resolved)) fail_to_resolve(file.path, error, storage);
    take_name(file, std::move(resolved));
}

void resolve_names(std::vector<FileOptions>& files, bool are_databases_allowed, ums::Storage& storage) {
    for (FileOptions& file : files) {
        refuse_dangerous_name(file.path, are_databases_allowed);
        std::string resolved;
        if (!storage.resolve(file.path, resolved)) take_name(file, std::move(resolved));
        refuse_dangerous_name(file.path, are_databases_allowed);
    }
}

}  // namespace sim
