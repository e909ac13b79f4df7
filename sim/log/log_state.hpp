// What the parts of the log share: the ring, one lock, and whether the log has failed. There is one lock because space and hardening are
// decided together with the order of the blocks. It guards the ring, and what each part declares. The caller of a function named ..._locked
// holds it.
#pragma once

#include <atomic>
#include <utility>

#include "sim/log/virtual_log_files.hpp"
#include "ums/base/spinlock.hpp"
#include "ums/sched/scheduler.hpp"
#include "ums/sched/waiter.hpp"

namespace sim {

struct LogState {
    explicit LogState(VirtualLogFiles ring) : vlfs(std::move(ring)) {}

    ums::Spinlock lock;
    VirtualLogFiles vlfs;             // guarded by the lock
    std::atomic<bool> failed{false};  // permanent; a block could not be written, and nothing after it can be hardened
};

// Wakes the tasks that the parts of the log have released under the lock. Do not call it with the lock held.
inline void make_all_runnable(ums::WaitQueue& released) {
    while (ums::Waiter* const waiter = released.pop_front()) waiter->scheduler->make_runnable(*waiter);
}

}  // namespace sim
