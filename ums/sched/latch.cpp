#include "ums/sched/latch.hpp"

#include <mutex>

#include "ums/base/assert.hpp"
#include "ums/sched/scheduler.hpp"

namespace ums {

Latch::~Latch() { UMS_ASSERT(!update_held_ && !exclusive_held_ && shared_count_ == 0 && waiting_.empty()); }

bool Latch::admits(LatchMode mode) const {
    if (exclusive_held_) return false;
    switch (mode) {
        case LatchMode::shared: return true;
        case LatchMode::update: return !update_held_;
        case LatchMode::exclusive: return !update_held_ && shared_count_ == 0;
    }
    UMS_ASSERT(false && "unknown latch mode");
}

void Latch::enter(LatchMode mode) {
    switch (mode) {
        case LatchMode::shared: ++shared_count_; break;
        case LatchMode::update: update_held_ = true; break;
        case LatchMode::exclusive: exclusive_held_ = true; break;
    }
}

void Latch::leave(LatchMode mode) {
    switch (mode) {
        case LatchMode::shared:
            UMS_ASSERT(shared_count_ > 0);
            --shared_count_;
            break;
        case LatchMode::update:
            UMS_ASSERT(update_held_);
            update_held_ = false;
            break;
        case LatchMode::exclusive:
            UMS_ASSERT(exclusive_held_);
            exclusive_held_ = false;
            break;
    }
}

void Latch::admit_waiting(Fifo<Awaiter>& admitted) {
    while (Awaiter* first = waiting_.front()) {
        if (!admits(first->mode)) return;
        waiting_.remove(*first);
        enter(first->mode);
        admitted.push_back(*first);
    }
}

// Outside the lock, because a woken task may destroy the latch.
void Latch::wake(Fifo<Awaiter>& admitted) {
    while (Awaiter* awaiter = admitted.pop_front()) awaiter->scheduler->make_runnable(*awaiter);
}

bool Latch::try_acquire(LatchMode mode) {
    const std::lock_guard guard(lock_);
    if (!waiting_.empty() || !admits(mode)) return false;
    enter(mode);
    return true;
}

bool Latch::Awaiter::await_suspend(std::coroutine_handle<> suspended) {
    const std::lock_guard guard(latch.lock_);
    if (latch.waiting_.empty() && latch.admits(mode)) {
        latch.enter(mode);
        return false;
    }
    suspend(suspended, type);
    latch.waiting_.push_back(*this);
    return true;
}

void Latch::release(LatchMode mode) {
    Fifo<Awaiter> admitted;
    {
        const std::lock_guard guard(lock_);
        leave(mode);
        admit_waiting(admitted);
    }
    wake(admitted);
}

void Latch::downgrade_to_shared(LatchMode from) {
    UMS_ASSERT(from != LatchMode::shared);
    Fifo<Awaiter> admitted;
    {
        const std::lock_guard guard(lock_);
        leave(from);
        enter(LatchMode::shared);
        admit_waiting(admitted);
    }
    wake(admitted);
}

bool Latch::is_busy() {
    const std::lock_guard guard(lock_);
    return exclusive_held_ || update_held_ || shared_count_ > 0 || !waiting_.empty();
}

}  // namespace ums
