#include "cli/exit_at_once.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <string_view>

namespace cli {
namespace {

// Read by a signal handler: lock-free, nothing else.
std::atomic<int> exit_code{to_int(ExitCode::stopped)};
std::atomic<bool> erases_line{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

void write_to_stderr(std::string_view text) {
    // Nothing can be done about a failure here.
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

void end_process(int /*signal*/) {
    if (erases_line.load()) write_to_stderr("\r\x1b[K");
    write_to_stderr("ioproof: ended at once; the files stay as they are\n");
    ::_exit(exit_code.load());
}

}  // namespace

void exit_at_once_on_signals(bool redraws) {
    erases_line.store(redraws);
    struct sigaction action {};
    action.sa_handler = end_process;
    ::sigfillset(&action.sa_mask);
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
    action.sa_handler = SIG_IGN;
    ::sigaction(SIGHUP, &action, nullptr);
}

void set_exit_at_once_code(ExitCode code) { exit_code.store(to_int(code)); }

}  // namespace cli
