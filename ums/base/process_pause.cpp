#include "ums/base/process_pause.hpp"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>

namespace ums {

namespace {

// In the forked child of a multithreaded process: only async-signal-safe calls.
[[noreturn]] void wake_later(pid_t stopped, timespec pause) {
    // Closes all descriptors, so that files and locks of the stopped process are not held here.
    ::syscall(SYS_close_range, 0U, ~0U, 0U);
    while (::nanosleep(&pause, &pause) != 0 && errno == EINTR) {
    }
    ::kill(stopped, SIGCONT);
    ::_exit(0);
}

}  // namespace

bool stop_this_process(std::chrono::milliseconds wake_after) {
    const pid_t stopped = ::getpid();
    timespec pause{};
    pause.tv_sec = static_cast<time_t>(wake_after.count() / 1000);
    pause.tv_nsec = static_cast<long>(wake_after.count() % 1000) * 1'000'000;
    // Whoever started us may have left it ignored, and then nothing says whether there is somebody to wake us.
    ::signal(SIGCHLD, SIG_DFL);
    // Twice, so that nobody has to wait for the one that sleeps.
    const pid_t between = ::fork();
    if (between < 0) return false;
    if (between == 0) {
        const pid_t sleeper = ::fork();
        if (sleeper == 0) wake_later(stopped, pause);
        ::_exit(sleeper < 0 ? 1 : 0);
    }
    int status = 0;
    while (::waitpid(between, &status, 0) < 0 && errno == EINTR) {
    }
    if (status != 0) return false;
    // To this thread, which then does not return before the stop. A signal to the process is left to any thread, most often the main one,
    // and this thread goes on until that one takes it.
    ::raise(SIGSTOP);
    return true;
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
