// What this process may use of the machine: containers and affinity masks give less than the hardware has.
#pragma once

#include <cstdint>
#include <string>

namespace ums {

// CPUs that the process may run on, at least 1. A cgroup's CPU quota counts, rounded up.
[[nodiscard]] std::uint32_t available_cpu_count();

// Bytes that can be taken without swapping: the kernel's MemAvailable, or what the cgroup leaves, whichever is less. `root` is "/" except
// in tests.
[[nodiscard]] std::uint64_t available_memory_bytes(const std::string& root = "/");

}  // namespace ums
