#include "sim/files/file_names.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
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
    if (error == std::errc::filename_too_long)
        throw RefusedError(fmt::format("{}: the name is too long for the file system; choose a shorter one.", path));
    if (error == std::errc::too_many_symbolic_link_levels) {
        throw EnvironmentError(fmt::format("{}: the symbolic links in {} form a loop.", path, folder));
    }
    if (error == std::errc::not_a_directory) throw EnvironmentError(fmt::format("{}: {} is not a folder.", path, folder));
    if (error != std::errc::no_such_file_or_directory) {
        throw EnvironmentError(fmt::format("{}: the folder {} cannot be examined: {}.", path, folder, error.message()));
    }
    const std::string link = dangling_link_on(folder, storage);
    if (!link.empty()) throw EnvironmentError(fmt::format("{}: the symbolic link {}, which does not exist.", path, link));
    throw EnvironmentError(fmt::format("{}: the folder {} does not exist.", path, folder));
}

// The data file as whose stream this sparse one is named, "name.mdx:stream"; null: there is none.
const FileOptions* source_of_stream(const FileOptions& file, const std::vector<FileOptions>& files) {
    if (!file.sparse || file.is_log) return nullptr;
    const std::size_t colon = file.path.rfind(':');
    if (colon == std::string::npos) return nullptr;
    const auto found = std::find_if(files.begin(), files.end(), [&](const FileOptions& source) {
        return !source.is_log && source.path.size() == colon && file.path.compare(0, colon, source.path) == 0;
    });
    return found == files.end() ? nullptr : &*found;
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

bool is_same_new_file(const std::string& path, const std::string& other, ums::Storage& storage) {
    const auto name_of = [](const std::string& each) { return each.substr(each.find_last_of('/') + 1); };
    if (path == other) return true;
    if (name_of(path) != name_of(other)) return false;
    ums::FileStatus folder;
    ums::FileStatus other_folder;
    if (storage.status(folder_of(path), folder) || storage.status(folder_of(other), other_folder)) return false;
    const bool are_there = folder.kind != ums::FileKind::missing && other_folder.kind != ums::FileKind::missing;
    return are_there && folder.is_same_file(other_folder);
}

void refuse_dangerous_name(std::string_view path, bool are_databases_allowed) {
    if (are_databases_allowed || !is_database_name(path)) return;
    throw RefusedError(
        fmt::format("{}: refused: *.mdf, *.ndf and *.ldf are names of real databases. Use *.mdx and *.ldx for test files.", path));
}

void refuse_file_among_devices(std::string_view path) {
    if (!path.starts_with("/dev/") || path.starts_with("/dev/shm/")) return;
    throw RefusedError(fmt::format("{}: refused: there is no such device, and a file in /dev would be kept in memory.", path));
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

const FileOptions* source_of_replica(const FileOptions& file, const std::vector<FileOptions>& files) {
    const FileOptions* const source = source_of_stream(file, files);
    if (source == nullptr || source->is_tempdb || source_of_stream(*source, files) != nullptr) return nullptr;
    const auto first =
        std::find_if(files.begin(), files.end(), [&](const FileOptions& other) { return source_of_stream(other, files) == source; });
    return first != files.end() && first->path == file.path ? source : nullptr;
}

bool is_transient(const FileOptions& file, const std::vector<FileOptions>& files) {
    return file.is_tempdb || source_of_replica(file, files) != nullptr;
}

void fit_replicas(std::vector<FileOptions>& files) {
    for (FileOptions& file : files) {
        const FileOptions* const source = source_of_replica(file, files);
        if (source != nullptr) file.max_size_mb = std::max(file.max_size_mb, std::max(source->initial_size_mb, source->max_size_mb));
    }
}

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
