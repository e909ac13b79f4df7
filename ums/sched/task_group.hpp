// Tasks that were started together and must be joined: no task outlives the group it was started in. The first exception that leaves one of
// them is kept and rethrown to the task that joins.
#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>

#include "ums/base/spinlock.hpp"
#include "ums/sched/waiter.hpp"

namespace ums {

// Tasks may be added and may finish on any scheduler. The destructor asserts that all have finished.
class TaskGroup {
public:
    TaskGroup() = default;
    TaskGroup(const TaskGroup&) = delete;
    TaskGroup& operator=(const TaskGroup&) = delete;
    ~TaskGroup();

    // Used by Scheduler::spawn and fork.
    void add();
    void finished(std::exception_ptr exception) noexcept;

    struct JoinAwaiter {
        TaskGroup& group;
        Waiter waiter{};
        [[nodiscard]] bool await_ready() const noexcept { return false; }
        bool await_suspend(std::coroutine_handle<> joining);
        void await_resume() const;
    };

    // Waits until every task that was added has finished. Rethrows the first exception.
    [[nodiscard]] JoinAwaiter join() { return JoinAwaiter{*this}; }

private:
    Spinlock lock_;  // guards everything below
    std::uint32_t running_ = 0;
    WaitQueue joining_;
    std::exception_ptr exception_;
};

}  // namespace ums
