// How the machine's CPUs have spent their time, and how much control groups have throttled: counters whose differences describe a
// measurement. From /proc/stat (proc(5)) and cpu.stat, io.pressure of control groups v2 (Documentation/admin-guide/cgroup-v2.rst,
// accounting/psi.rst).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ums {

// The times of one CPU, in ticks of the system.
struct CpuTicks {
    std::uint32_t id = 0;
    std::uint64_t user = 0;    // including low priority
    std::uint64_t kernel = 0;  // including interrupts
    std::uint64_t idle = 0;    // including waiting for I/O
    std::uint64_t steal = 0;   // taken by the hypervisor
};

// Online CPUs, by id; empty if the system does not report them. `root` is the folder that holds proc, for tests. Any thread.
[[nodiscard]] std::vector<CpuTicks> read_cpu_ticks(const std::string& root = "");

// The largest value of each among the process's group and those above it.
struct GroupThrottling {
    bool is_known = false;
    std::uint64_t periods_throttled = 0;
    std::uint64_t throttled_us = 0;
    std::uint64_t io_stalled_us = 0;
};

[[nodiscard]] GroupThrottling read_group_throttling(const std::string& root = "");

// Between two readings. 0 where the later one counts less: the process was moved to another group, or its group lost the controller.
[[nodiscard]] GroupThrottling throttling_between(const GroupThrottling& before, const GroupThrottling& after);

}  // namespace ums
