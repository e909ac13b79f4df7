// A system call that may wait for a device, made on a thread of its own: a device that does not answer then delays only the calling task,
// and no other on its scheduler. For rare calls (opening, finding holes, dropping caches); transfers go to the I/O engine.
#pragma once

#include <coroutine>
#include <functional>
#include <thread>
#include <type_traits>

#include "ums/sched/task.hpp"
#include "ums/sched/waiter.hpp"

namespace ums {

struct BlockingCallAwaiter {
    std::function<void()> call;  // does not throw
    Waiter waiter{};
    std::thread thread{};

    // With a virtual clock the call is made immediately.
    [[nodiscard]] bool await_ready();
    // If the system refuses a thread, the call is made here.
    [[nodiscard]] bool await_suspend(std::coroutine_handle<> suspended);
    void await_resume();
};

// Makes the call and returns its result. It must not throw. What it refers to must live until the task has continued.
template <typename Call>
auto run_blocking(Call call) -> Task<decltype(call())> {
    using Result = decltype(call());
    if constexpr (std::is_void_v<Result>) {
        co_await BlockingCallAwaiter{[&call] { call(); }};
    } else {
        Result result{};
        co_await BlockingCallAwaiter{[&call, &result] { result = call(); }};
        co_return result;
    }
}

}  // namespace ums
