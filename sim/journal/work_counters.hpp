// What the users of one section of the configuration, or one of the system's own tasks, have done. Any scheduler adds to the counters while
// it works, without waiting for another.
#pragma once

#include <atomic>
#include <cstdint>

namespace sim {

struct alignas(64) WorkCounters {
    std::atomic<std::uint64_t> cycles{0};
    std::atomic<std::uint64_t> pages_read{0};
    std::atomic<std::uint64_t> pages_updated{0};
    std::atomic<std::uint64_t> rollbacks{0};
    std::atomic<std::uint64_t> log_bytes{0};

    static void add(std::atomic<std::uint64_t>& counter, std::uint64_t amount) { counter.fetch_add(amount, std::memory_order_relaxed); }
};

}  // namespace sim
