#include "ums/sched/task_group.hpp"

#include <mutex>
#include <utility>

#include "ums/base/assert.hpp"
#include "ums/sched/scheduler.hpp"

namespace ums {

TaskGroup::~TaskGroup() { UMS_ASSERT(running_ == 0 && joining_.empty()); }

void TaskGroup::add() {
    const std::lock_guard guard(lock_);
    ++running_;
}

void TaskGroup::finished(std::exception_ptr exception) noexcept {
    WaitQueue woken;
    {
        const std::lock_guard guard(lock_);
        UMS_ASSERT(running_ > 0);
        if (exception && !exception_) exception_ = std::move(exception);
        if (--running_ == 0) woken.append(joining_);
    }
    // The group may no longer exist: the joining task owns it.
    while (Waiter* waiter = woken.pop_front()) waiter->scheduler->make_runnable(*waiter);
}

bool TaskGroup::JoinAwaiter::await_suspend(std::coroutine_handle<> joining) {
    const std::lock_guard guard(group.lock_);
    if (group.running_ == 0) return false;
    waiter.suspend(joining, WaitType::task_join);
    group.joining_.push_back(waiter);
    return true;
}

void TaskGroup::JoinAwaiter::await_resume() const {
    std::exception_ptr exception;
    {
        const std::lock_guard guard(group.lock_);
        exception = std::exchange(group.exception_, nullptr);
    }
    if (exception) std::rethrow_exception(exception);
}

}  // namespace ums
