// The identity of a running task: one per spawned task; children that it forks run under its name. Read by reports ("User") and histories.
#pragma once

#include <cstdint>
#include <string>

namespace ums {

struct Worker {
    std::string name;
    std::uint64_t quantum_start_ns = 0;  // when it last got the CPU
};

}  // namespace ums
