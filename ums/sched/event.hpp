// Event: any number of tasks wait until something has happened, optionally with a deadline. Stays set until reset. sleep_until only waits
// for a time.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstdint>

#include "ums/base/spinlock.hpp"
#include "ums/sched/timer_queue.hpp"
#include "ums/sched/waiter.hpp"

namespace ums {

// A task whose wait() has ended may destroy the event, even while set() is still waking others; a task that has only seen is_set() may not.
class Event {
public:
    Event() = default;
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    // Asserts that no task is waiting.
    ~Event();

    // Wakes every waiting task. Any thread, even one that runs no scheduler.
    void set();
    void reset();
    [[nodiscard]] bool is_set() const { return set_.load(std::memory_order_acquire); }

    class Awaiter : private Waiter, private Timer {
    public:
        Awaiter(Event& event, WaitType type, std::uint64_t deadline_ns);
        [[nodiscard]] bool await_ready() const noexcept { return false; }
        bool await_suspend(std::coroutine_handle<> suspended);
        // True if the event was set, false if the deadline came first.
        bool await_resume();

    private:
        friend class Event;
        friend class Fifo<Awaiter>;
        enum class Outcome : std::uint8_t { open, happened, timed_out };
        static void on_deadline(Timer& timer);

        Event& event_;
        WaitType type_;
        // set() and the deadline race for it, and the winner makes the task runnable. Needed in addition to the event's lock because the
        // deadline of a task that was woken, but does not run yet, must not touch the event, which may be gone.
        std::atomic<Outcome> outcome_{Outcome::open};
    };

    // Must be awaited by a task. `deadline_ns` is of the scheduler's clock.
    [[nodiscard]] Awaiter wait(WaitType type, std::uint64_t deadline_ns = kNever) { return Awaiter(*this, type, deadline_ns); }

private:
    std::atomic<bool> set_{false};
    Spinlock lock_;  // guards waiting_ and changes of set_
    Fifo<Awaiter> waiting_;
};

// Suspends the running task until the time has come.
class SleepAwaiter : private Timer {
public:
    SleepAwaiter(WaitType type, std::uint64_t deadline_ns);
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> suspended);
    void await_resume() const noexcept {}

private:
    WaitType type_;
    Waiter waiter_{};
};

[[nodiscard]] inline SleepAwaiter sleep_until(std::uint64_t deadline_ns, WaitType type = WaitType::sleep_task) {
    return SleepAwaiter(type, deadline_ns);
}

}  // namespace ums
