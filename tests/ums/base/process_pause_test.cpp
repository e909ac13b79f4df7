#include "ums/base/process_pause.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>

#include "tests/support/catch.hpp"
#include "tests/ums/io/child_process.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/units.hpp"

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

TEST_CASE("a thread that stops this process goes on when the process has been woken, not before") {
    using namespace std::chrono_literals;
    const std::string result = ums::testing::in_child_process([]() -> std::string {
        std::string outcome;
        // The main thread has nothing to do, so it is the one to which the system gives what is sent to the process.
        std::thread([&outcome] {
            const ums::RealClock clock;
            const std::uint64_t begin_ns = clock.now_ns();
            const bool has_stopped = ums::stop_this_process(200ms);
            const bool was_woken = clock.now_ns() - begin_ns >= 200 * ums::kNsPerMs;
            outcome = !has_stopped ? "not stopped" : was_woken ? "woken" : "went on";
        }).join();
        return outcome;
    });
    CHECK(result == "woken");
}
