#include "ums/io/bus_error.hpp"

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <mutex>

#include "ums/base/assert.hpp"

namespace ums {

namespace {

// The range that a thread touches, and where it continues if that fails.
struct Touched {
    const std::byte* begin;
    const std::byte* end;
    sigjmp_buf way_out;
};

thread_local Touched* touched_now = nullptr;

struct sigaction handled_before {};

void pass_on(int signal, siginfo_t* facts, void* context) {
    if ((handled_before.sa_flags & SA_SIGINFO) != 0) return handled_before.sa_sigaction(signal, facts, context);
    const bool is_function = handled_before.sa_handler != SIG_DFL && handled_before.sa_handler != SIG_IGN;
    if (is_function) return handled_before.sa_handler(signal);
    // The access is repeated, and the process ends as it would have without this handler.
    ::sigaction(signal, &handled_before, nullptr);
    ::raise(signal);
}

// si_code > 0: raised by the kernel, not sent by a process.
void on_bus_error(int signal, siginfo_t* facts, void* context) {
    Touched* const touched = touched_now;
    const auto* const place = static_cast<const std::byte*>(facts->si_addr);
    if (touched == nullptr || facts->si_code <= 0 || place < touched->begin || place >= touched->end) {
        return pass_on(signal, facts, context);
    }
    touched_now = nullptr;
    siglongjmp(touched->way_out, 1);
}

// The signal was blocked while it was handled. Saving the mask before each copy instead would cost a system call each time.
void unblock_bus_error() {
    sigset_t signals;
    ::sigemptyset(&signals);
    ::sigaddset(&signals, SIGBUS);
    const int error = ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
    UMS_ASSERT(error == 0);
}

}  // namespace

void expect_bus_errors() {
    static std::once_flag once;
    std::call_once(once, [] {
        struct sigaction action {};
        action.sa_sigaction = on_bus_error;
        action.sa_flags = SA_SIGINFO;
        ::sigemptyset(&action.sa_mask);
        const int result = ::sigaction(SIGBUS, &action, &handled_before);
        UMS_ASSERT(result == 0);
    });
}

bool touch(const std::byte* data, std::size_t size_bytes, void (*action)(void* argument), void* argument) {
    Touched touched{data, data + size_bytes, {}};
    if (sigsetjmp(touched.way_out, 0) != 0) {
        unblock_bus_error();
        return false;
    }
    touched_now = &touched;
    // The compiler does not know that the action can fail.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    action(argument);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    touched_now = nullptr;
    return true;
}

}  // namespace ums
