#include "ums/base/machine.hpp"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <string_view>

namespace ums {

namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

// "max" and anything unreadable: no limit.
std::uint64_t read_number(const std::string& path) {
    std::ifstream file(path);
    std::uint64_t value = 0;
    return file >> value ? value : kNoLimit;
}

std::uint64_t mem_available_bytes(const std::string& root) {
    std::ifstream file(root + "proc/meminfo");
    std::string line;
    while (std::getline(file, line)) {
        std::istringstream words(line);
        std::string name;
        std::uint64_t kib = 0;
        if (words >> name >> kib && name == "MemAvailable:") return kib * 1024;
    }
    return std::uint64_t{1} << 30;  // no /proc: a modest guess
}

// The folder of this process's cgroup below `root`, version 2 ("0::/path") or the memory controller of version 1 ("5:memory:/path").
std::string cgroup_folder(const std::string& root, bool version_2) {
    std::ifstream file(root + "proc/self/cgroup");
    std::string line;
    while (std::getline(file, line)) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        if (version_2 ? controllers.empty() : controllers == "memory") {
            return root + (version_2 ? "sys/fs/cgroup" : "sys/fs/cgroup/memory") + line.substr(second + 1);
        }
    }
    return {};
}

// What the cgroup and every one above it leave. The group's own folder may not be visible inside a container; its root then is.
std::uint64_t cgroup_left_bytes(const std::string& root, bool version_2) {
    const std::string top = root + (version_2 ? "sys/fs/cgroup" : "sys/fs/cgroup/memory");
    const char* const limit_name = version_2 ? "/memory.max" : "/memory.limit_in_bytes";
    const char* const used_name = version_2 ? "/memory.current" : "/memory.usage_in_bytes";
    std::string folder = cgroup_folder(root, version_2);
    std::uint64_t left = kNoLimit;
    for (;;) {
        if (folder.size() < top.size()) folder = top;
        const std::uint64_t limit = read_number(folder + limit_name);
        const std::uint64_t used = read_number(folder + used_name);
        if (limit != kNoLimit && used != kNoLimit) left = std::min(left, limit - std::min(limit, used));
        if (folder == top) return left;
        folder.resize(folder.find_last_of('/'));
    }
}

}  // namespace

std::uint32_t available_cpu_count() {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::uint32_t count = sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<std::uint32_t>(CPU_COUNT(&set)) : 1;
    const std::string folder = cgroup_folder("/", true);
    std::ifstream file((folder.empty() ? "/sys/fs/cgroup" : folder) + "/cpu.max");
    std::uint64_t quota_us = 0;
    std::uint64_t period_us = 0;
    if (file >> quota_us >> period_us && period_us != 0) {
        count = std::min(count, static_cast<std::uint32_t>((quota_us + period_us - 1) / period_us));
    }
    return std::max(count, 1U);
}

std::uint64_t available_memory_bytes(const std::string& root) {
    return std::min({mem_available_bytes(root), cgroup_left_bytes(root, true), cgroup_left_bytes(root, false)});
}

}  // namespace ums
