#include "sim/workers/slow_writes.hpp"

#include <algorithm>
#include <utility>

namespace sim {

void SlowWrites::look(std::uint64_t writes, std::uint64_t write_time_us) {
    const std::uint64_t count = writes - std::exchange(writes_, writes);
    const std::uint64_t time_us = write_time_us - std::exchange(write_time_us_, write_time_us);
    if (!is_on() || count == 0) return;
    const std::uint32_t now = allowed();
    const bool is_slow = time_us / count > limit_us_;
    allowed_.store(is_slow ? std::max(now / 2, 1U) : std::min(now + 1, writers_), std::memory_order_relaxed);
}

}  // namespace sim
