#include "ums/base/process_pause.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "tests/support/catch.hpp"
#include "tests/ums/io/child_process.hpp"
#include "tests/ums/io/resource_limit.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/units.hpp"

using namespace std::chrono_literals;

namespace {

std::atomic<bool> has_forked{false};

}  // namespace

TEST_CASE("a thread that stops this process goes on when the process has been woken, not before") {
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

TEST_CASE("a process stops itself, and is woken, without a fork: memory into which a device is reading must not be copied") {
    const std::string result = ums::testing::in_child_process([]() -> std::string {
        ::pthread_atfork([] { has_forked = true; }, nullptr, nullptr);
        const bool has_stopped = ums::stop_this_process(100ms);
        return !has_stopped ? "not stopped" : has_forked ? "forked" : "woken";
    });
    CHECK(result == "woken");
}

TEST_CASE("a process that stops only after its timer has run out is woken all the same") {
    // On a busy machine, some of these are too late.
    const std::string result = ums::testing::in_child_process([]() -> std::string {
        for (int i = 0; i < 3; ++i) {
            if (!ums::stop_this_process(1ms)) return "not stopped";
        }
        return "woken";
    });
    CHECK(result == "woken");
}

TEST_CASE("a process that nothing would wake does not stop") {
    const std::string result = ums::testing::in_child_process([]() -> std::string {
        // The timer's signal counts as one that is pending.
        const ums::testing::ResourceLimit limit(RLIMIT_SIGPENDING, 0);
        return ums::stop_this_process(100ms) ? "stopped" : "not stopped";
    });
    CHECK(result == "not stopped");
}

TEST_CASE("the first process of a PID namespace knows that it cannot stop itself") {
    const std::string result = ums::testing::in_child_process([]() -> std::string {
        // An ordinary user may make one in a user namespace.
        if (::unshare(CLONE_NEWPID) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) return "not allowed";
        const pid_t first = ::fork();
        if (first == 0) ::_exit(ums::can_stop_this_process() || ums::stop_this_process(100ms) ? 1 : 0);
        int status = 0;
        if (first < 0 || ::waitpid(first, &status, 0) != first) return "no process";
        return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? "it knows" : "it does not know";
    });
    if (result == "not allowed") {
        WARN("not tried: no PID namespace may be made here");
    } else {
        CHECK(result == "it knows");
    }
    CHECK(ums::can_stop_this_process() == (::getpid() != 1));
}
