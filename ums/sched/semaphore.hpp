// A number of units that tasks take and give back; one who needs several waits until it can have all of them at once, so that nobody
// holds a part while waiting for the rest. First come, first served.
#pragma once

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

    // Without waiting, and not past those who wait. Any thread.
    [[nodiscard]] bool try_acquire(std::uint64_t units);
    // Any thread.
    void release(std::uint64_t units);

    // An estimate.
    [[nodiscard]] std::uint64_t available();
    [[nodiscard]] bool has_waiters();

private:
    Spinlock lock_;  // guards everything below
    std::uint64_t available_;
    Fifo<Awaiter> waiting_;
};

}  // namespace ums
