#include "ums/base/process_pause.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>

#include "tests/support/catch.hpp"

TEST_CASE("a process that was started with SIGCHLD ignored stops, is woken, and would know if nobody could wake it") {
    using namespace std::chrono_literals;
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        std::signal(SIGCHLD, SIG_IGN);
        const bool has_stopped = ums::stop_this_process(100ms);
        const bool learns_of_children = std::signal(SIGCHLD, SIG_DFL) == SIG_DFL;
        std::_Exit(has_stopped && learns_of_children ? 0 : 1);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
}
