// Proves that a failed assertion stops the program: runs `action` in a child process and returns whether it ended by abort(). Only while
// no other thread is running.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace ums::testing {

template <typename Action>
[[nodiscard]] bool aborts(Action&& action) {
    const pid_t child = ::fork();
    if (child == 0) {
        // Otherwise Catch would catch the signal and report a failure. The expected message would only confuse readers of the log.
        std::signal(SIGABRT, SIG_DFL);
        const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
        ::alarm(20);
        action();
        std::_Exit(0);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

}  // namespace ums::testing
