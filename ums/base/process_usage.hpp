// What this process has used of the machine so far, all its threads together, including those that the kernel runs for io_uring.
#pragma once

#include <cstdint>

namespace ums {

struct ProcessUsage {
    std::uint64_t user_us = 0;
    std::uint64_t system_us = 0;
    std::uint64_t resident_max_bytes = 0;  // the most that was in memory at any time
};

// Any thread. Never fails: what the system does not report is 0.
[[nodiscard]] ProcessUsage process_usage();

}  // namespace ums
