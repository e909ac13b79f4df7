// What the machine's CPUs did so far, and what control groups held back: counters whose differences tell about a measurement. From
// /proc/stat (proc(5)) and cpu.stat, io.pressure of control groups v2 (Documentation/admin-guide/cgroup-v2.rst, accounting/psi.rst).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ums {

// Of one CPU, in ticks of the system.
struct CpuTicks {
    std::uint32_t id = 0;
    std::uint64_t user = 0;    // with those of low priority
    std::uint64_t kernel = 0;  // with interrupts
    std::uint64_t idle = 0;    // with waiting for I/O
    std::uint64_t steal = 0;   // the hypervisor's
};

// Those that are online, by id; empty if the system does not tell. `root` is the folder that holds proc, for tests. Any thread.
[[nodiscard]] std::vector<CpuTicks> read_cpu_ticks(const std::string& root = "");

// Of the process's group and those above it, the largest of each.
struct GroupThrottling {
    bool is_known = false;
    std::uint64_t periods_throttled = 0;
    std::uint64_t throttled_us = 0;
    std::uint64_t io_stalled_us = 0;
};

[[nodiscard]] GroupThrottling read_group_throttling(const std::string& root = "");

}  // namespace ums
