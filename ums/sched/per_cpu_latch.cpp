#include "ums/sched/per_cpu_latch.hpp"

#include "ums/base/assert.hpp"
#include "ums/sched/scheduler.hpp"

namespace ums {

PerCpuLatch::PerCpuLatch(std::uint32_t cpu_count) : cpu_count_(cpu_count), latches_(std::make_unique<Own[]>(cpu_count)) {
    UMS_ASSERT(cpu_count > 0);
}

Latch& PerCpuLatch::own() {
    const std::uint32_t id = Scheduler::current().id();
    UMS_ASSERT(id < cpu_count_);
    return latches_[id].latch;
}

Task<void> PerCpuLatch::acquire_exclusive(WaitType type) {
    for (std::uint32_t i = 0; i < cpu_count_; ++i) co_await latches_[i].latch.acquire(LatchMode::exclusive, type);
}

bool PerCpuLatch::try_acquire_exclusive() {
    for (std::uint32_t i = 0; i < cpu_count_; ++i) {
        if (latches_[i].latch.try_acquire(LatchMode::exclusive)) continue;
        release_below(i);
        return false;
    }
    return true;
}

void PerCpuLatch::release_exclusive() { release_below(cpu_count_); }

void PerCpuLatch::release_below(std::uint32_t end) {
    for (std::uint32_t i = 0; i < end; ++i) latches_[i].latch.release(LatchMode::exclusive);
}

}  // namespace ums
