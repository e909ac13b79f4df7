// A suspended task, as the lists of the scheduler and of the synchronization primitives see it. It lives in the frame of the waiting
// coroutine, so waiting allocates nothing.
#pragma once

#include <coroutine>
#include <cstdint>

#include "ums/base/fifo.hpp"
#include "ums/sched/wait_type.hpp"

namespace ums {

class Scheduler;
struct Worker;

struct Waiter : FifoLink<> {
    std::coroutine_handle<> handle;
    Scheduler* scheduler = nullptr;
    Worker* worker = nullptr;
    WaitType wait_type{};
    std::uint64_t wait_start_ns = 0;
    std::uint64_t runnable_ns = 0;
    Waiter* inbox_next = nullptr;  // only while in another scheduler's inbox

    // Called by the task itself, on its scheduler, when it suspends.
    void suspend(std::coroutine_handle<> suspended, WaitType type);
};

using WaitQueue = Fifo<Waiter>;

}  // namespace ums
