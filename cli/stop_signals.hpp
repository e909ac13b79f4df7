// What SIGINT, SIGTERM and SIGHUP do, from the first moment of the process to the last. One handler does all of it: at no moment can a
// signal end the process with something half made.
//
//   until GracefulStop   the process ends at once: nothing has been begun
//   with it             the first signal is kept for whoever ends the work in order
//   after that          SIGINT and SIGTERM end the process at once, whatever its threads wait for. SIGHUP is ignored: a terminal that goes
//                       away may send it twice, and that is no second request.
//
// "At once": incomplete files are removed, nothing is drained, and no other file is removed; the XML log is well-formed at any time and
// stays so.
#pragma once

#include <chrono>

#include "cli/exit_codes.hpp"

namespace cli {

// First of all, once, before there are other threads: from then on a thread of their own takes these signals. A SIGHUP that is ignored
// when the process begins (nohup) stays ignored.
void install_stop_signals();

// Created before anything is touched, one at a time; ends when the work has ended.
class GracefulStop {
public:
    // Throws sim::EnvironmentError if there is no descriptor left.
    GracefulStop();
    ~GracefulStop();
    GracefulStop(const GracefulStop&) = delete;
    GracefulStop& operator=(const GracefulStop&) = delete;

    // The signal that has come, or 0. Any thread.
    [[nodiscard]] int signal() const;
    // The same, by the code that now ends the work in order. Until this is called, a signal is kept for 10 s, during which a start may wait
    // for a disk, and then ends the process immediately.
    int take() const;
    // Waits for one, at most this long. False if none has come.
    [[nodiscard]] bool wait(std::chrono::milliseconds pause) const;
    // Readable from then on.
    [[nodiscard]] int descriptor() const;
};

// The work has its result: from now on signals end the process immediately. Any thread.
void exit_immediately_on_signals();
// The exit code in that case: ExitCode::stopped, unless something else is set, for example when a finding is made. Any thread.
void set_immediate_exit_code(ExitCode code);
// From now on the process also ends immediately when the MemoryReserve of a run is used up: with ExitCode::environment, or the code of a
// finding.
void exit_immediately_without_memory();
// Says so on stderr, without allocating anything, and ends the process. Any thread.
[[noreturn]] void end_without_memory();
// A progress line may then have to be erased.
void erase_line_at_exit(bool redraws);

}  // namespace cli
