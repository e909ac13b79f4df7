#include "ums/sched/semaphore.hpp"

#include <mutex>

#include "ums/base/assert.hpp"
#include "ums/sched/scheduler.hpp"

namespace ums {

Semaphore::~Semaphore() { UMS_ASSERT(waiting_.empty()); }

bool Semaphore::try_acquire(std::uint64_t units) {
    const std::lock_guard guard(lock_);
    if (!waiting_.empty() || available_ < units) return false;
    available_ -= units;
    return true;
}

bool Semaphore::Awaiter::await_suspend(std::coroutine_handle<> suspended) {
    const std::lock_guard guard(semaphore.lock_);
    if (semaphore.waiting_.empty() && semaphore.available_ >= units) {
        semaphore.available_ -= units;
        return false;
    }
    suspend(suspended, type);
    semaphore.waiting_.push_back(*this);
    return true;
}

void Semaphore::release(std::uint64_t units) {
    Fifo<Awaiter> admitted;
    {
        const std::lock_guard guard(lock_);
        available_ += units;
        while (Awaiter* first = waiting_.front()) {
            if (first->units > available_) break;
            available_ -= first->units;
            waiting_.remove(*first);
            admitted.push_back(*first);
        }
    }
    while (Awaiter* awaiter = admitted.pop_front()) awaiter->scheduler->make_runnable(*awaiter);
}

std::uint64_t Semaphore::available() {
    const std::lock_guard guard(lock_);
    return available_;
}

bool Semaphore::has_waiters() {
    const std::lock_guard guard(lock_);
    return !waiting_.empty();
}

}  // namespace ums
