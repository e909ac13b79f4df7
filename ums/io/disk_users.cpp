#include "ums/io/disk_users.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include <fmt/format.h>

#include "ums/base/control_groups.hpp"
#include "ums/base/output_place.hpp"
#include "ums/io/block_stack.hpp"

namespace ums {

namespace {

namespace fs = std::filesystem;

bool stands_on(const std::string& path, const std::vector<std::string>& disk_names, const BlockDeviceRoots& roots) {
    const auto number = device_number_of(path, roots);
    if (!number) return false;
    const std::vector<BlockLayer> layers = read_block_stack(*number, roots);
    return std::any_of(layers.begin(), layers.end(), [&](const BlockLayer& layer) {
        return std::find(disk_names.begin(), disk_names.end(), layer.name) != disk_names.end();
    });
}

void add_once(std::vector<std::string>& list, std::string text) {
    if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
}

bool is_name_below(const std::string& path, const std::string& folder) {
    return path.size() > folder.size() && path.starts_with(folder) && (folder.back() == '/' || path[folder.size()] == '/');
}

// A shell, or timeout, holds the files to which it redirected the output of this process.
bool is_own_output(const fs::path& descriptor) {
    OutputStatus status;
    return !read_output_status(descriptor.string(), status) && status.is_standard_output();
}

bool has_file_below(const fs::path& process, const std::string& folder) {
    std::error_code error;
    for (fs::directory_iterator entry(process / "fd", error), end; !error && entry != end; entry.increment(error)) {
        std::error_code gone;
        const std::string target = fs::read_symlink(entry->path(), gone).string();
        if (!gone && is_name_below(target, folder) && !is_own_output(entry->path())) return true;
    }
    return false;
}

// The text behind the number in lines like "8:0 rbps=max wbps=1048576 riops=max wiops=max" or "8:0 1048576".
std::vector<std::string> limits_in(const std::string& path, const std::string& number) {
    std::vector<std::string> limits;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string word;
        if (!(words >> word) || word != number) continue;
        while (words >> word) {
            if (!word.ends_with("=max")) limits.push_back(word);
        }
    }
    return limits;
}

}  // namespace

std::vector<std::string> other_users_of_disks(const std::vector<std::string>& disk_names, const Mount& own,
                                              const std::vector<Mount>& mounts, const BlockDeviceRoots& roots) {
    std::vector<std::string> users;
    std::vector<std::string> seen{own.device};
    for (const Mount& mount : mounts) {
        if (mount.source.rfind("/dev/", 0) != 0 || std::find(seen.begin(), seen.end(), mount.device) != seen.end()) continue;
        seen.push_back(mount.device);
        if (stands_on(mount.source, disk_names, roots)) add_once(users, fmt::format("{} ({})", mount.point, mount.type));
    }
    std::ifstream swaps(roots.proc + "/swaps");
    std::string line;
    std::getline(swaps, line);  // the titles
    while (std::getline(swaps, line)) {
        const std::string name = line.substr(0, line.find_first_of(" \t"));
        if (!name.empty() && stands_on(name, disk_names, roots)) add_once(users, fmt::format("{} (swap)", name));
    }
    return users;
}

std::vector<std::string> processes_below(const std::string& folder, const std::string& proc) {
    std::vector<std::string> processes;
    const std::string self = fmt::format("{}", ::getpid());
    std::error_code error;
    for (fs::directory_iterator entry(proc, error), end; !error && entry != end; entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (name.find_first_not_of("0123456789") != std::string::npos || name == self) continue;
        if (!has_file_below(entry->path(), folder)) continue;
        std::ifstream file(entry->path() / "comm");
        std::string command;
        std::getline(file, command);
        processes.push_back(fmt::format("{} ({})", command.empty() ? "?" : command, name));
    }
    std::sort(processes.begin(), processes.end());
    return processes;
}

std::vector<std::string> io_limits_of(const std::string& number, const std::string& root) {
    std::vector<std::string> limits;
    for (const std::string& folder : control_group_folders(root, "")) {
        for (const std::string& limit : limits_in(folder + "/io.max", number))
            limits.push_back(fmt::format("{} in {}/io.max", limit, folder));
    }
    constexpr std::array kFilesOfV1{"blkio.throttle.read_bps_device", "blkio.throttle.write_bps_device", "blkio.throttle.read_iops_device",
                                    "blkio.throttle.write_iops_device"};
    for (const std::string& folder : control_group_folders(root, "blkio")) {
        for (const char* file : kFilesOfV1) {
            const std::string path = fmt::format("{}/{}", folder, file);
            for (const std::string& limit : limits_in(path, number)) limits.push_back(fmt::format("{} in {}", limit, path));
        }
    }
    return limits;
}

}  // namespace ums
