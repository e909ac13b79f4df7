#include "ums/sched/event.hpp"

#include <mutex>
#include <thread>

#include "ums/base/assert.hpp"
#include "ums/sched/scheduler.hpp"

namespace ums {

Event::~Event() {
    // A task whose deadline has just passed may still be in the queue: it removes itself, on its own thread.
    for (;;) {
        {
            const std::lock_guard guard(lock_);
            const Awaiter* last = waiting_.front();
            if (last == nullptr) return;
            UMS_ASSERT(last->outcome_.load(std::memory_order_relaxed) == Awaiter::Outcome::timed_out);
        }
        std::this_thread::yield();
    }
}

void Event::set() {
    Fifo<Awaiter> woken;
    {
        const std::lock_guard guard(lock_);
        set_.store(true, std::memory_order_release);
        Awaiter* following = nullptr;
        for (Awaiter* awaiter = waiting_.front(); awaiter != nullptr; awaiter = following) {
            following = Fifo<Awaiter>::next(*awaiter);
            auto outcome = Awaiter::Outcome::open;
            // If the deadline came first, the task removes itself from the queue.
            if (!awaiter->outcome_.compare_exchange_strong(outcome, Awaiter::Outcome::happened)) continue;
            waiting_.remove(*awaiter);
            woken.push_back(*awaiter);
        }
    }
    // The event may no longer exist: a task that waited for it may own it.
    while (Awaiter* awaiter = woken.pop_front()) awaiter->scheduler->make_runnable(*awaiter);
}

void Event::reset() {
    const std::lock_guard guard(lock_);
    set_.store(false, std::memory_order_release);
}

Event::Awaiter::Awaiter(Event& event, WaitType type, std::uint64_t wait_deadline_ns) : event_(event), type_(type) {
    deadline_ns = wait_deadline_ns;
    fire = &on_deadline;
}

bool Event::Awaiter::await_suspend(std::coroutine_handle<> suspended) {
    const std::lock_guard guard(event_.lock_);
    if (event_.set_.load(std::memory_order_relaxed)) return false;
    suspend(suspended, type_);
    event_.waiting_.push_back(*this);
    if (deadline_ns != kNever) scheduler->timers().add(*this);
    return true;
}

// Runs on the waiter's own scheduler. If set() came first, the task has already been woken.
void Event::Awaiter::on_deadline(Timer& timer) {
    auto& awaiter = static_cast<Awaiter&>(timer);
    auto outcome = Outcome::open;
    if (!awaiter.outcome_.compare_exchange_strong(outcome, Outcome::timed_out)) return;
    {
        const std::lock_guard guard(awaiter.event_.lock_);
        awaiter.event_.waiting_.remove(awaiter);
    }
    awaiter.scheduler->make_runnable(awaiter);
}

bool Event::Awaiter::await_resume() {
    if (scheduler != nullptr) scheduler->timers().remove(*this);
    return outcome_.load(std::memory_order_relaxed) != Outcome::timed_out;
}

SleepAwaiter::SleepAwaiter(WaitType type, std::uint64_t sleep_deadline_ns) : type_(type) {
    deadline_ns = sleep_deadline_ns;
    fire = [](Timer& timer) {
        Waiter& waiter = static_cast<SleepAwaiter&>(timer).waiter_;
        waiter.scheduler->make_runnable(waiter);
    };
}

void SleepAwaiter::await_suspend(std::coroutine_handle<> suspended) {
    waiter_.suspend(suspended, type_);
    waiter_.scheduler->timers().add(*this);
}

}  // namespace ums
