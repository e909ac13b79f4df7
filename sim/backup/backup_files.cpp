#include "sim/backup/backup_files.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "sim/files/file_names.hpp"
#include "sim/limits.hpp"

namespace sim {

namespace {

constexpr std::uint64_t kKb = 1024;
constexpr std::uint64_t kPagesPerMb = kKb * kKb / kPageBytes;
constexpr std::uint64_t kChainMb = 1;

std::string in_folder(const std::string& folder, const std::string& name) {
    return folder.empty() || folder.back() == '/' ? folder + name : folder + "/" + name;
}

std::string base_name(const std::string& path) {
    const std::size_t slash = path.find_last_of("/\\");
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::uint64_t blocks_for(const BackupUserOptions& options, const std::vector<std::uint64_t>& sources) {
    const std::uint64_t block_pages = options.max_transfer_kb * kKb / kPageBytes;
    std::uint64_t blocks = 0;
    for (const std::uint64_t pages : sources) blocks += (pages + block_pages - 1) / block_pages;
    return blocks;
}

std::uint64_t pages_of_one(const BackupUserOptions& options, const std::vector<std::uint64_t>& sources) {
    const std::uint64_t stripes = backup_folders(options.folders).size() * options.stripes_per_folder;
    const std::uint64_t block_pages = options.max_transfer_kb * kKb / kPageBytes;
    return (blocks_for(options, sources) + stripes - 1) / stripes * block_pages;
}

}  // namespace

std::vector<std::string> backup_folders(std::string_view folders) {
    std::vector<std::string> result;
    while (!folders.empty()) {
        const std::size_t end = std::min(folders.find('|'), folders.size());
        if (end > 0) result.emplace_back(folders.substr(0, end));
        folders.remove_prefix(std::min(end + 1, folders.size()));
    }
    return result;
}

std::uint64_t stripe_pages_max(const BackupUserOptions& options, const std::vector<std::uint64_t>& sources) {
    const std::uint64_t backups = options.differential_interval_s != 0 ? 2 : 1;  // a differential backup is never larger than a full one
    return 1 + backups * pages_of_one(options, sources);
}

bool is_backed_up(const FileOptions& file, const std::vector<FileOptions>& files) {
    return !file.is_log && !file.is_tempdb && file.role == FileRole::test && source_of_replica(file, files) == nullptr;
}

std::vector<FileOptions> backup_files(const Options& options) {
    const BackupUserOptions& backup = options.backup_user;
    if (!backup.is_on() || is_about_left_files(options.job)) return {};
    std::vector<std::uint64_t> sources;
    for (const FileOptions& file : options.files) {
        const bool is_source = is_backed_up(file, options.files);
        if (is_source) sources.push_back(file.initial_size_mb * kPagesPerMb);
    }
    const std::uint64_t stripe_mb = (stripe_pages_max(backup, sources) + kPagesPerMb - 1) / kPagesPerMb;
    const auto add = [&](std::vector<FileOptions>& files, std::string path, FileRole role, std::uint64_t size_mb) {
        files.push_back({.path = std::move(path), .initial_size_mb = size_mb, .max_size_mb = size_mb, .role = role});
    };
    std::vector<FileOptions> files;
    const std::vector<std::string> folders = backup_folders(backup.folders);
    std::uint32_t number = 0;
    for (std::uint32_t i = 0; i < backup.stripes_per_folder; ++i) {
        for (const std::string& folder : folders) {
            add(files, in_folder(folder, fmt::format("ioproof_backup_{}.bak", ++number)), FileRole::backup, stripe_mb);
        }
    }
    number = 0;
    for (const FileOptions& file : options.files) {
        const bool is_source = is_backed_up(file, options.files);
        if (!is_source || backup.restore_folder.empty()) continue;
        std::string path = in_folder(backup.restore_folder, fmt::format("restored_{}_{}", ++number, base_name(file.path)));
        add(files, std::move(path), FileRole::restored, file.initial_size_mb);
    }
    add(files, in_folder(folders.front(), "ioproof_backup.trn"), FileRole::backup_chain, kChainMb);
    return files;
}

}  // namespace sim
