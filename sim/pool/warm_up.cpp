#include "sim/pool/warm_up.hpp"

#include <algorithm>
#include <atomic>

namespace sim {

namespace {

// A step takes up to 16 ms if the host has to provide the memory first.
constexpr std::size_t kStepBytes = std::size_t{16} << 20;
constexpr std::uint64_t kTimeMaxNs = 5 * ums::kNsPerSecond;

ums::Task<void> populate(const ums::MemoryRegion& memory, std::atomic<std::size_t>& next_bytes, const RunState& run) {
    const ums::Scheduler& scheduler = ums::Scheduler::current();
    const std::uint64_t deadline_ns = scheduler.now_ns() + kTimeMaxNs;
    while (!run.is_stopping() && scheduler.now_ns() < deadline_ns) {
        const std::size_t begin = next_bytes.fetch_add(kStepBytes, std::memory_order_relaxed);
        if (begin >= memory.size_bytes()) break;
        memory.populate(begin, std::min(kStepBytes, memory.size_bytes() - begin));
        co_await ums::Scheduler::current().yield();
    }
}

ums::Task<void> use(std::byte* data, std::size_t size_bytes) {
    ums::Scheduler::current().use_memory(data, size_bytes);
    co_return;
}

}  // namespace

ums::Task<void> warm_up(ums::SchedulerGroup& schedulers, const BufferPool& pool, const RunState& run) {
    if (!schedulers.clock().is_real()) co_return;
    const ums::MemoryRegion& memory = pool.slots().memory();
    std::atomic<std::size_t> next_bytes{0};
    ums::TaskGroup tasks;
    for (std::uint32_t cpu = 0; cpu < schedulers.size(); ++cpu) {
        schedulers[cpu].spawn(tasks, "Warm-up", populate(memory, next_bytes, run));
    }
    co_await tasks.join();
    const std::size_t ready_bytes = std::min(next_bytes.load(std::memory_order_relaxed), memory.size_bytes());
    if (run.is_stopping() || ready_bytes == 0) co_return;
    for (std::uint32_t cpu = 0; cpu < schedulers.size(); ++cpu) {
        schedulers[cpu].spawn(tasks, "Warm-up", use(memory.data(), ready_bytes));
    }
    co_await tasks.join();
}

}  // namespace sim
