// What this process may use of the machine: CPUs and memory, with the limits of its container (cgroup v1 and v2, its own and those of
// the groups above it).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace ums {

struct Machine {
    std::uint32_t cpu_count = 1;        // CPUs in the affinity mask, at most the CPU quota rounded up
    std::vector<std::uint32_t> cpus{};  // on which the process may run, ascending; empty = not known
    std::uint64_t memory_bytes = 0;     // physical, or the limit of the container; 0 = not known
    std::uint64_t available_bytes = 0;  // what can be allocated without swapping; 0 = not known
    std::string host_name{};            // empty = not known
};

// Fills `mask` with a bit for each CPU on which the process may run, CPU 0 lowest in its first word. False if the system refuses that.
using AffinityReader = std::function<bool(std::span<std::uint64_t> mask)>;

// These CPUs, ascending; none if the system does not tell. Linux refuses masks without a bit for each CPU that the machine could have, so
// larger ones are tried.
[[nodiscard]] std::vector<std::uint32_t> cpus_allowed(const AffinityReader& read);

// Any thread. Never fails: a limit that cannot be read counts as none. `root` is the folder that holds proc and sys, for tests.
Machine this_machine(const std::string& root = "");

}  // namespace ums
