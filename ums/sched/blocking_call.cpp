#include "ums/sched/blocking_call.hpp"

#include <system_error>

#include "ums/base/os_thread.hpp"
#include "ums/sched/scheduler.hpp"

namespace ums {

bool BlockingCallAwaiter::await_ready() {
    if (Scheduler::current().clock().is_real()) return false;
    call();
    return true;
}

bool BlockingCallAwaiter::await_suspend(std::coroutine_handle<> suspended) {
    waiter.suspend(suspended, WaitType::blocking_call);
    try {
        thread = std::thread([this] {
            name_this_thread("blocking call");
            call();
            waiter.scheduler->make_runnable(waiter);
        });
    } catch (const std::system_error&) {
        call();
        waiter.scheduler->make_runnable(waiter);
    }
    return true;
}

// The thread is about to end but may still be in make_runnable(): this task keeps the scheduler alive until it has left.
void BlockingCallAwaiter::await_resume() {
    if (thread.joinable()) thread.join();
}

}  // namespace ums
