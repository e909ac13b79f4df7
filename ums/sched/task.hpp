// Task<T>: a coroutine that runs when it is awaited and returns a T to its awaiter. A task never leaves the scheduler it was started on, so
// it needs no locks against tasks there. Exceptions pass to the awaiter; I/O results are values and never thrown.
//
// A child that finishes without waiting returns straight to its parent, on the parent's stack: loops over such children need
// neither a trip through the runnable queue nor guaranteed tail calls (which compilers do not give in debug and sanitizer builds).
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

#include "ums/base/assert.hpp"
#include "ums/sched/frame_pool.hpp"

namespace ums {

template <typename T = void>
class Task;

namespace detail {

struct TaskPromiseBase {
    // Null until the awaiter has really been suspended.
    std::coroutine_handle<> continuation;
    std::exception_ptr exception;

    static void* operator new(std::size_t size_bytes) { return allocate_frame(size_bytes); }
    static void operator delete(void* frame, std::size_t size_bytes) noexcept { free_frame(frame, size_bytes); }

    struct FinalAwaiter {
        [[nodiscard]] bool await_ready() const noexcept { return false; }
        template <typename Promise>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> finished) const noexcept {
            const std::coroutine_handle<> parent = finished.promise().continuation;
            return parent ? parent : std::noop_coroutine();
        }
        void await_resume() const noexcept {}
    };

    std::suspend_always initial_suspend() noexcept { return {}; }
    FinalAwaiter final_suspend() noexcept { return {}; }
    void unhandled_exception() noexcept { exception = std::current_exception(); }
};

template <typename T>
struct TaskPromise : TaskPromiseBase {
    std::optional<T> value;

    Task<T> get_return_object() noexcept;
    template <typename U>
    void return_value(U&& result) {
        value.emplace(std::forward<U>(result));
    }
    T take() { return std::move(*value); }
};

template <>
struct TaskPromise<void> : TaskPromiseBase {
    Task<void> get_return_object() noexcept;
    void return_void() noexcept {}
    void take() noexcept {}
};

}  // namespace detail

template <typename T>
class [[nodiscard]] Task {
public:
    using promise_type = detail::TaskPromise<T>;
    using Handle = std::coroutine_handle<promise_type>;

    explicit Task(Handle handle) noexcept : handle_(handle) {}
    Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Task& operator=(Task&&) = delete;
    // Only before it was awaited or after it has finished, never while it waits: a list would still point into it.
    ~Task() {
        if (!handle_) return;
        UMS_ASSERT(handle_.done() || !handle_.promise().continuation);
        handle_.destroy();
    }

    struct Awaiter {
        Handle child;
        [[nodiscard]] bool await_ready() const noexcept { return false; }
        bool await_suspend(std::coroutine_handle<> parent) const {
            child.resume();
            if (child.done()) return false;
            child.promise().continuation = parent;
            return true;
        }
        T await_resume() const {
            if (child.promise().exception) std::rethrow_exception(child.promise().exception);
            return child.promise().take();
        }
    };

    // At most once.
    Awaiter operator co_await() const noexcept {
        UMS_ASSERT(handle_ && !handle_.done());
        return Awaiter{handle_};
    }

private:
    Handle handle_;
};

namespace detail {

template <typename T>
Task<T> TaskPromise<T>::get_return_object() noexcept {
    return Task<T>{std::coroutine_handle<TaskPromise<T>>::from_promise(*this)};
}

inline Task<void> TaskPromise<void>::get_return_object() noexcept {
    return Task<void>{std::coroutine_handle<TaskPromise<void>>::from_promise(*this)};
}

}  // namespace detail

}  // namespace ums
