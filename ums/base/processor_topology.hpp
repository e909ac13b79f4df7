// How the machine's CPUs are arranged, as far as Linux reports it: cores, sockets, NUMA nodes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ums {

struct Processor {
    std::uint32_t id = 0;      // as the system counts them
    std::uint32_t core = 0;    // counted from 0 over all sockets; CPUs of one core share it
    std::uint32_t socket = 0;  // counted from 0
    std::uint32_t node = 0;    // NUMA
};

struct ProcessorTopology {
    std::vector<Processor> processors;  // online processors, by id; empty = not known
    std::uint32_t core_count = 0;
    std::uint32_t socket_count = 0;
    std::uint32_t node_count = 0;
    std::string frequency_governor;  // of the first CPU, "performance"; empty = not known
};

// Any thread. Never fails: what cannot be read counts as one core for each CPU, one socket, one node. `root` is the folder that holds sys,
// for tests. Source: Documentation/ABI/stable/sysfs-devices-system-cpu and -node of Linux.
[[nodiscard]] ProcessorTopology processor_topology(const std::string& root = "");

}  // namespace ums
