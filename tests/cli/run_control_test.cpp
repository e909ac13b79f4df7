#include "cli/run_control.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>

#include "cli/exit_at_once.hpp"
#include "tests/support/catch.hpp"

namespace {

using namespace std::chrono_literals;

void wait_for(const std::atomic<bool>& flag) {
    while (!flag) std::this_thread::sleep_for(1ms);
}

cli::RunControl::Callbacks callbacks_with(std::function<void(int)> on_stop_signal) {
    return {.on_stop_signal = std::move(on_stop_signal), .on_wake = [] {}, .on_second = [] {}};
}

}  // namespace

TEST_CASE("the work runs in a thread of its own, and its end ends the control") {
    cli::RunControl control(callbacks_with([](int) {}));
    std::thread::id worker;
    control.run([&] { worker = std::this_thread::get_id(); });
    CHECK(worker != std::thread::id());
    CHECK(worker != std::this_thread::get_id());
}

TEST_CASE("what the work throws reaches the caller") {
    cli::RunControl control(callbacks_with([](int) {}));
    CHECK_THROWS_AS(control.run([] { throw std::out_of_range("x"); }), std::out_of_range);
}

TEST_CASE("each of the stop signals arrives once, on the caller's thread") {
    const int signal = GENERATE(SIGINT, SIGTERM, SIGHUP);
    std::atomic<bool> stop{false};
    int received = 0;
    const auto caller = std::this_thread::get_id();
    bool same_thread = false;
    cli::RunControl control(callbacks_with([&](int number) {
        received = number;
        same_thread = std::this_thread::get_id() == caller;
        stop = true;
    }));
    control.run([&] {
        ::kill(::getpid(), signal);
        wait_for(stop);
    });
    CHECK(received == signal);
    CHECK(same_thread);
}

TEST_CASE("a hang-up that was ignored at the start (nohup) stays ignored") {
    ::signal(SIGHUP, SIG_IGN);
    bool stopped = false;
    cli::RunControl control(callbacks_with([&](int) { stopped = true; }));
    control.run([] {
        ::kill(::getpid(), SIGHUP);
        std::this_thread::sleep_for(50ms);
    });
    ::signal(SIGHUP, SIG_DFL);
    CHECK_FALSE(stopped);
}

TEST_CASE("wake-ups from any thread arrive, bundled or not, the second's tick comes by itself") {
    std::atomic<bool> woken{false};
    std::atomic<bool> ticked{false};
    cli::RunControl control({.on_stop_signal = [](int) {}, .on_wake = [&] { woken = true; }, .on_second = [&] { ticked = true; }});
    control.run([&] {
        for (int i = 0; i < 100; ++i) {
            woken = false;
            control.wake();
            wait_for(woken);
        }
        wait_for(ticked);
    });
    CHECK(woken);
    CHECK(ticked);
    control.wake();  // after the run: no harm
}

TEST_CASE("after exit_at_once_on_signals a signal ends the process with the code set last") {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        cli::exit_at_once_on_signals(false);
        ::kill(::getpid(), SIGHUP);  // is ignored
        cli::set_exit_at_once_code(cli::ExitCode::integrity);
        ::kill(::getpid(), SIGINT);
        ::_exit(99);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 1);
}
