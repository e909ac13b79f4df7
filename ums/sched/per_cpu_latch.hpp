// A latch that nearly every task wants shared: it consists of one latch for each scheduler, so that CPUs that share it do not write to the
// same cache line. Shared mode takes the latch of the task's own scheduler, exclusive mode takes all of them in ascending order. As with
// Latch, no task starves.
#pragma once

#include <cstdint>
#include <memory>

#include "ums/sched/latch.hpp"
#include "ums/sched/task.hpp"

namespace ums {

// Called by tasks; a task releases it on the scheduler on which it acquired it (tasks stay on theirs). Not recursive.
class PerCpuLatch {
public:
    // Schedulers with the numbers 0 to `cpu_count` - 1 will use it.
    explicit PerCpuLatch(std::uint32_t cpu_count);

    [[nodiscard]] Latch::Awaiter acquire_shared(WaitType type) { return own().acquire(LatchMode::shared, type); }
    [[nodiscard]] bool try_acquire_shared() { return own().try_acquire(LatchMode::shared); }
    void release_shared() { own().release(LatchMode::shared); }

    // Each scheduler's latch that a task has to wait for counts as a separate wait.
    Task<void> acquire_exclusive(WaitType type);
    [[nodiscard]] bool try_acquire_exclusive();
    void release_exclusive();

private:
    struct alignas(64) Own {
        Latch latch;
    };

    [[nodiscard]] Latch& own();
    void release_below(std::uint32_t end);

    const std::uint32_t cpu_count_;
    const std::unique_ptr<Own[]> latches_;  // by number of the scheduler
};

}  // namespace ums
