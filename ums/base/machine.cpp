#include "ums/base/machine.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

#include "ums/base/control_groups.hpp"
#include "ums/base/os_thread.hpp"
#include "ums/base/sysfs_value.hpp"

namespace ums {

namespace {

// Sources: proc(5), cgroups(7), Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst of the Linux kernel.

std::optional<std::uint64_t> number_in(const std::string& path) {
    std::istringstream text(read_line(path));
    std::int64_t value = 0;
    if (text >> value && value >= 0) return static_cast<std::uint64_t>(value);
    return std::nullopt;  // missing, "max", or -1: no limit
}

// The number behind `key` in a file of lines "key number" or "key: number kB".
std::uint64_t number_after(const std::string& path, std::string_view key) {
    std::ifstream file(path);
    std::string name;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::uint64_t value = 0;
        if (words >> name >> value && name == key) return value;
    }
    return 0;
}

void apply_memory_limit(Machine& machine, std::optional<std::uint64_t> limit, std::uint64_t used, std::uint64_t reclaimable) {
    if (!limit) return;
    // Cached file data counts as used but can be reclaimed.
    const std::uint64_t held = used - std::min(used, reclaimable);
    machine.memory_bytes = std::min(machine.memory_bytes, *limit);
    machine.available_bytes = std::min(machine.available_bytes, *limit - std::min(*limit, held));
}

void apply_memory_limits(Machine& machine, const std::string& root) {
    for (const std::string& folder : control_group_folders(root, "")) {
        const std::uint64_t used = number_in(folder + "/memory.current").value_or(0);
        const std::uint64_t reclaimable = number_after(folder + "/memory.stat", "inactive_file");
        // Beyond memory.high the kernel refuses nothing, but holds the process back until it hardly gets on.
        for (const char* limit : {"/memory.max", "/memory.high"}) {
            apply_memory_limit(machine, number_in(folder + limit), used, reclaimable);
        }
    }
    for (const std::string& folder : control_group_folders(root, "memory")) {
        apply_memory_limit(machine, number_in(folder + "/memory.limit_in_bytes"), number_in(folder + "/memory.usage_in_bytes").value_or(0),
                           number_after(folder + "/memory.stat", "total_inactive_file"));
    }
}

void apply_cpu_limit(Machine& machine, std::uint64_t quota_us, std::uint64_t period_us) {
    if (quota_us == 0 || period_us == 0) return;
    const std::uint64_t whole = (quota_us + period_us - 1) / period_us;
    machine.cpu_count = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(whole, 1, machine.cpu_count));
}

void apply_cpu_limits(Machine& machine, const std::string& root) {
    for (const std::string& folder : control_group_folders(root, "")) {
        std::istringstream text(read_line(folder + "/cpu.max"));  // "200000 100000", or "max 100000"
        std::uint64_t quota_us = 0;
        std::uint64_t period_us = 0;
        if (text >> quota_us >> period_us) apply_cpu_limit(machine, quota_us, period_us);
    }
    for (const std::string& folder : control_group_folders(root, "cpu")) {
        apply_cpu_limit(machine, number_in(folder + "/cpu.cfs_quota_us").value_or(0), number_in(folder + "/cpu.cfs_period_us").value_or(0));
    }
}

void read_affinity_mask(Machine& machine) {
    machine.cpus = cpus_of_this_thread();
    machine.cpu_count = static_cast<std::uint32_t>(std::max<std::size_t>(machine.cpus.size(), 1));
}

std::string own_host_name() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string();
}

}  // namespace

std::vector<std::uint32_t> cpus_allowed(const AffinityReader& read) {
    constexpr std::uint32_t kBits = 64;
    constexpr std::size_t kWordsMax = 65536 / kBits;
    std::vector<std::uint64_t> mask(sizeof(cpu_set_t) / sizeof(std::uint64_t));
    while (!read(mask)) {
        if (mask.size() >= kWordsMax) return {};
        mask.assign(mask.size() * 2, 0);
    }
    std::vector<std::uint32_t> cpus;
    for (std::uint32_t cpu = 0; cpu < mask.size() * kBits; ++cpu) {
        if ((mask[cpu / kBits] >> cpu % kBits & 1) != 0) cpus.push_back(cpu);
    }
    return cpus;
}

Machine this_machine(const std::string& root) {
    constexpr std::uint64_t kBytesPerKb = 1024;
    Machine machine;
    read_affinity_mask(machine);
    machine.memory_bytes = number_after(root + "/proc/meminfo", "MemTotal:") * kBytesPerKb;
    machine.available_bytes = number_after(root + "/proc/meminfo", "MemAvailable:") * kBytesPerKb;
    // If the machine's memory is unknown (0), the smaller of the two would be 0 instead of the limit.
    if (machine.memory_bytes > 0) apply_memory_limits(machine, root);
    apply_cpu_limits(machine, root);
    machine.host_name = own_host_name();
    return machine;
}

}  // namespace ums
