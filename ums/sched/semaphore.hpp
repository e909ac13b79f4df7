// A number of units that tasks take and give back. A task that needs several waits until it can take all of them together, so that no task
// holds some of its units while it waits for the rest. First come, first served.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstdint>

#include "ums/base/spinlock.hpp"
#include "ums/sched/waiter.hpp"

namespace ums {

class Semaphore {
public:
    explicit Semaphore(std::uint64_t units) : available_(units) {}
    Semaphore(const Semaphore&) = delete;
    Semaphore& operator=(const Semaphore&) = delete;
    ~Semaphore();

    struct Awaiter : Waiter {
        Semaphore& semaphore;
        std::uint64_t units;
        WaitType type;

        Awaiter(Semaphore& wanted, std::uint64_t wanted_units, WaitType reason) : semaphore(wanted), units(wanted_units), type(reason) {}
        [[nodiscard]] bool await_ready() const { return semaphore.try_acquire(units); }
        bool await_suspend(std::coroutine_handle<> suspended);
        void await_resume() const noexcept {}
    };

    // Must be awaited by a task.
    [[nodiscard]] Awaiter acquire(std::uint64_t units, WaitType type) { return Awaiter(*this, units, type); }

    // Without waiting, and not ahead of waiting tasks. Any thread.
    [[nodiscard]] bool try_acquire(std::uint64_t units);
    // Any thread. The semaphore must outlive the call, even if the units have already been taken.
    void release(std::uint64_t units);

    // Estimates.
    [[nodiscard]] std::uint64_t available() const { return available_.load(std::memory_order_relaxed); }
    [[nodiscard]] bool has_waiters() const { return has_waiters_.load(std::memory_order_relaxed); }

private:
    bool take(std::uint64_t units);
    void admit_waiting();

    std::atomic<std::uint64_t> available_;
    // A waiter sets it and then checks `available_` again; a releasing thread adds to `available_` and then checks this flag: one of them
    // sees the other.
    std::atomic<bool> has_waiters_{false};
    Spinlock lock_;  // guards what is below, and the changes of has_waiters_
    Fifo<Awaiter> waiting_;
};

}  // namespace ums
