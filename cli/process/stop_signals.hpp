// What SIGINT, SIGTERM and SIGHUP do, from the first moment of the process to the last. One handler does all of it: at no moment can a
// signal end the process and leave something half done.
//
//
//   until GracefulStop  the process ends at once: nothing has begun
//   with it             the first signal is kept for the code that ends the work cleanly
//   after that          SIGINT and SIGTERM end the process at once, whatever its threads wait for. SIGHUP is ignored: a terminal that goes
//                       away may send it twice, so the second one is not another request. Nor is what comes within a tenth of a second of
//                       the first signal: timeout(1) sends each signal twice.
//
// "At once": incomplete files are removed, nothing is drained, and no other file is removed; the XML log is well-formed at any time and
// stays so.
#pragma once

#include <chrono>

#include "cli/process/exit_codes.hpp"

namespace cli {

// Call it once, first of all, before there are other threads: it starts the thread that takes these signals. A SIGHUP that is ignored when
// the process begins (nohup) stays ignored.
void install_stop_signals();

// Created before anything is touched, and destroyed when the work has ended. One at a time. A signal that nobody has taken from the one
// before it, because it came too late for that, is this one's.
class GracefulStop {
public:
    // Throws sim::EnvironmentError if no descriptor is left.
    GracefulStop();
    ~GracefulStop();
    GracefulStop(const GracefulStop&) = delete;
    GracefulStop& operator=(const GracefulStop&) = delete;

    // The first signal that came, or 0. Any thread.
    [[nodiscard]] int signal() const;
    // The same, for the code that now ends the work cleanly. Until this is called, a signal is kept for 10 s, because a start may be
    // waiting for a disk; then it ends the process.
    int take() const;
    // Waits for a signal, at most this long. False if none came.
    [[nodiscard]] bool wait(std::chrono::milliseconds pause) const;
    // Becomes readable with the first signal.
    [[nodiscard]] int descriptor() const;
};

// The work has its result: from now on signals end the process immediately. Any thread.
void exit_immediately_on_signals();
// The exit code of such an end: ExitCode::stopped unless set, for example by a finding. Any thread.
void set_immediate_exit_code(ExitCode code);
// From now on, the process also ends immediately when a run's MemoryReserve is used up: with this code, or with the one that a finding has
// set.
void exit_immediately_without_memory(ExitCode code);
// Reports it on stderr without allocating anything, and ends the process. Any thread.
[[noreturn]] void end_without_memory();
// Whether an immediate end may have to erase a progress line.
void erase_line_at_exit(bool redraws);

}  // namespace cli
