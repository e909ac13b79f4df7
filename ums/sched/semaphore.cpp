#include "ums/sched/semaphore.hpp"

#include <mutex>

#include "ums/base/assert.hpp"
#include "ums/sched/scheduler.hpp"

namespace ums {

Semaphore::~Semaphore() { UMS_ASSERT(waiting_.empty()); }

bool Semaphore::take(std::uint64_t units) {
    std::uint64_t available = available_.load(std::memory_order_seq_cst);
    while (available >= units) {
        if (available_.compare_exchange_weak(available, available - units, std::memory_order_seq_cst)) return true;
    }
    return false;
}

bool Semaphore::try_acquire(std::uint64_t units) { return !has_waiters() && take(units); }

bool Semaphore::Awaiter::await_suspend(std::coroutine_handle<> suspended) {
    const std::lock_guard guard(semaphore.lock_);
    if (semaphore.waiting_.empty()) {
        semaphore.has_waiters_.store(true, std::memory_order_seq_cst);
        if (semaphore.take(units)) {
            semaphore.has_waiters_.store(false, std::memory_order_seq_cst);
            return false;
        }
    }
    suspend(suspended, type);
    semaphore.waiting_.push_back(*this);
    return true;
}

// Usually no task waits; then only the count changes.
void Semaphore::release(std::uint64_t units) {
    available_.fetch_add(units, std::memory_order_seq_cst);
    if (has_waiters_.load(std::memory_order_seq_cst)) admit_waiting();
}

void Semaphore::admit_waiting() {
    Fifo<Awaiter> admitted;
    {
        const std::lock_guard guard(lock_);
        while (Awaiter* first = waiting_.front()) {
            if (!take(first->units)) break;
            waiting_.remove(*first);
            admitted.push_back(*first);
        }
        if (waiting_.empty()) has_waiters_.store(false, std::memory_order_seq_cst);
    }
    while (Awaiter* awaiter = admitted.pop_front()) awaiter->scheduler->make_runnable(*awaiter);
}

}  // namespace ums
