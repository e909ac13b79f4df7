#include "cli/process/run_control.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <stdexcept>
#include <thread>

#include "cli/process/stop_signals.hpp"
#include "tests/support/catch.hpp"

namespace {

using namespace std::chrono_literals;

// As the work of a RunControl, whose exceptions fail the test.
void wait_for(const std::atomic<bool>& flag) {
    const auto deadline = std::chrono::steady_clock::now() + 30s;
    while (!flag) {
        if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("waited for 30 s in vain");
        std::this_thread::sleep_for(1ms);
    }
}

cli::RunControl::Callbacks callbacks_with(std::function<void(int)> on_stop_signal) {
    return {.on_stop_signal = std::move(on_stop_signal), .on_wake = [] {}, .on_second = [] {}};
}

}  // namespace

TEST_CASE("the work runs in a separate thread, and its end ends the control") {
    cli::install_stop_signals();
    const cli::GracefulStop orderly;
    cli::RunControl control(orderly, callbacks_with([](int) {}));
    std::thread::id worker;
    control.run([&] { worker = std::this_thread::get_id(); });
    CHECK(worker != std::thread::id());
    CHECK(worker != std::this_thread::get_id());
}

TEST_CASE("exceptions of the work reach the caller") {
    cli::install_stop_signals();
    const cli::GracefulStop orderly;
    cli::RunControl control(orderly, callbacks_with([](int) {}));
    CHECK_THROWS_AS(control.run([] { throw std::out_of_range("x"); }), std::out_of_range);
}

TEST_CASE("each of the stop signals arrives once, on the caller's thread") {
    const int signal = GENERATE(SIGINT, SIGTERM, SIGHUP);
    std::atomic<bool> stop{false};
    int received = 0;
    const auto caller = std::this_thread::get_id();
    bool same_thread = false;
    ::signal(SIGHUP, SIG_DFL);  // the tests may run under nohup
    cli::install_stop_signals();
    const cli::GracefulStop orderly;
    cli::RunControl control(orderly, callbacks_with([&](int number) {
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
    cli::install_stop_signals();
    const cli::GracefulStop orderly;
    cli::RunControl control(orderly, callbacks_with([&](int) { stopped = true; }));
    control.run([] {
        ::kill(::getpid(), SIGHUP);
        std::this_thread::sleep_for(50ms);
    });
    ::signal(SIGHUP, SIG_DFL);
    CHECK_FALSE(stopped);
}

TEST_CASE("wake-ups from any thread arrive, bundled or not, and so does the tick of every second") {
    std::atomic<bool> woken{false};
    std::atomic<bool> ticked{false};
    cli::install_stop_signals();
    const cli::GracefulStop orderly;
    cli::RunControl control(orderly, {.on_stop_signal = [](int) {}, .on_wake = [&] { woken = true; }, .on_second = [&] { ticked = true; }});
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
    control.wake();  // after the run it does no harm
}

TEST_CASE("seconds that were missed are not made up for by ticks in a row") {
    using Clock = std::chrono::steady_clock;
    std::atomic<bool> has_ticked_again{false};
    Clock::time_point end_of_first{};
    Clock::duration pause{};
    int ticks = 0;
    cli::install_stop_signals();
    const cli::GracefulStop orderly;
    cli::RunControl control(orderly, {.on_stop_signal = [](int) {},
                                      .on_wake = [] {},
                                      .on_second =
                                          [&] {
                                              if (++ticks == 1) {
                                                  std::this_thread::sleep_for(1100ms);
                                                  end_of_first = Clock::now();
                                              } else if (ticks == 2) {
                                                  pause = Clock::now() - end_of_first;
                                                  has_ticked_again = true;
                                              }
                                          }});
    control.run([&] { wait_for(has_ticked_again); });
    CHECK(pause >= 500ms);
}

namespace {

// A separate thread takes the signals of this process, so waits a moment for it.
void send_self(int signal) {
    ::kill(::getpid(), signal);
    ::usleep(50'000);
}

// For a signal that ends the process, however late that thread is; but not so late that an alarm of ten seconds could have done it.
void end_self(int signal) {
    ::kill(::getpid(), signal);
    for (int i = 0; i < 100; ++i) ::usleep(50'000);
}

// For a signal that is kept. False: it was not.
bool is_kept(const cli::GracefulStop& stop, int signal) {
    ::kill(::getpid(), signal);
    return stop.wait(10s) && stop.signal() == signal;
}

// Runs `work`, which sends signals to itself, in a child process. Returns its exit code; 128 + number if a signal ended it.
int exit_code_of(const std::function<void()>& work) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        ::signal(SIGHUP, SIG_DFL);  // as above
        cli::install_stop_signals();
        work();
        ::_exit(99);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

TEST_CASE("before anything has begun, a signal ends the process immediately") {
    const int signal = GENERATE(SIGINT, SIGTERM, SIGHUP);
    CHECK(exit_code_of([signal] { end_self(signal); }) == 130);
}

TEST_CASE("the first signal is kept for an orderly end, and the second ends the process with the code set last") {
    const int code = exit_code_of([] {
        const cli::GracefulStop stop;
        if (stop.signal() != 0) ::_exit(1);
        if (!is_kept(stop, SIGTERM)) ::_exit(2);
        send_self(SIGHUP);  // ignored
        ::usleep(150'000);  // what comes within a tenth of a second is the same request
        cli::set_immediate_exit_code(cli::ExitCode::integrity);
        end_self(SIGINT);
    });
    CHECK(code == cli::to_int(cli::ExitCode::integrity));
}

TEST_CASE("a signal that is not taken ends the process ten seconds later, one that is taken does not") {
    const auto wait = [] {
        for (int i = 0; i < 3; ++i) ::sleep(4);  // each signal ends a sleep
    };
    const pid_t other = ::fork();
    REQUIRE(other >= 0);
    if (other == 0) {
        cli::install_stop_signals();
        const cli::GracefulStop stop;
        if (!is_kept(stop, SIGINT)) ::_exit(1);
        static_cast<void>(stop.take());
        wait();
        ::_exit(99);
    }
    CHECK(exit_code_of([&] {
              const cli::GracefulStop stop;
              send_self(SIGINT);
              wait();
          }) == 130);
    int status = 0;
    REQUIRE(::waitpid(other, &status, 0) == other);
    CHECK(WEXITSTATUS(status) == 99);
}

// The thread of the handler may be delayed between keeping the signal and setting its alarm.
TEST_CASE("an alarm that is set after its signal was taken does not end the process") {
    const int code = exit_code_of([] {
        const cli::GracefulStop stop;
        if (!is_kept(stop, SIGINT) || stop.take() != SIGINT) ::_exit(1);
        send_self(SIGALRM);
        ::_exit(99);
    });
    CHECK(code == 99);
}

TEST_CASE("a signal that came too late for one piece of work is for the next, one that was taken is not") {
    const int code = exit_code_of([] {
        {
            const cli::GracefulStop first;
            if (!is_kept(first, SIGTERM)) ::_exit(4);
        }
        {
            const cli::GracefulStop second;
            if (second.signal() != SIGTERM || !second.wait(0ms)) ::_exit(1);
            if (second.take() != SIGTERM) ::_exit(2);
        }
        const cli::GracefulStop third;
        ::_exit(third.signal() == 0 && !third.wait(0ms) ? 0 : 3);
    });
    CHECK(code == 0);
}

TEST_CASE("once the work has its result, a signal ends the process immediately, but a hang-up does not") {
    const int code = exit_code_of([] {
        { const cli::GracefulStop stop; }
        send_self(SIGHUP);
        end_self(SIGTERM);
    });
    CHECK(code == 130);
}

TEST_CASE("a signal that came before the work is passed on before the work begins") {
    bool stopped = false;
    bool stopped_before = false;
    cli::install_stop_signals();
    const cli::GracefulStop orderly;
    REQUIRE(is_kept(orderly, SIGINT));
    cli::RunControl control(orderly, callbacks_with([&](int) { stopped = true; }));
    control.run([&] { stopped_before = stopped; });
    CHECK(stopped_before);
}
