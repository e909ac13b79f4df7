#include "ums/base/process_pause.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <ctime>

namespace ums {

bool can_stop_this_process() { return ::getpid() != 1; }

// A timer wakes it, and not another process: after a fork, whoever writes first to a page of memory gets a copy of it, and what a device is
// still reading into that page, or into the same huge page, arrives in the original only.
bool stop_this_process(std::chrono::milliseconds wake_after) {
    if (!can_stop_this_process()) return false;
    sigevent wake_up{};
    wake_up.sigev_notify = SIGEV_SIGNAL;
    wake_up.sigev_signo = SIGCONT;
    timer_t timer{};
    if (::timer_create(CLOCK_MONOTONIC, &wake_up, &timer) != 0) return false;
    itimerspec pause{};
    pause.it_value.tv_sec = static_cast<time_t>(wake_after.count() / 1000);
    pause.it_value.tv_nsec = static_cast<long>(wake_after.count() % 1000) * 1'000'000;
    pause.it_interval.tv_sec = 1;  // on a busy machine this thread may stop the process only when the first signal is over
    const bool is_set = ::timer_settime(timer, 0, &pause, nullptr) == 0;
    // To this thread, which then does not return before the stop. A signal to the process is left to any thread, most often the main one,
    // and this thread goes on until that one takes it.
    if (is_set) ::raise(SIGSTOP);
    ::timer_delete(timer);
    return is_set;
}

void kill_this_process() {
    ::kill(::getpid(), SIGKILL);
    std::abort();
}

void begin_this_process_again(const std::vector<std::string>& words) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::execv("/proc/self/exe", arguments.data());
}

}  // namespace ums
