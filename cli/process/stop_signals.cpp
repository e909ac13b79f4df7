#include "cli/process/stop_signals.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "sim/errors.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/memory_reserve.hpp"
#include "ums/base/os_thread.hpp"
#include "ums/base/unfinished_file.hpp"
#include "ums/base/units.hpp"

namespace cli {
namespace {

// If no one has taken the first signal after this time, it ends the process.
constexpr unsigned kSecondsKept = 10;
// timeout(1) sends its signal twice within microseconds, to the process and to its group. Nobody presses Ctrl-C twice as fast as this.
constexpr std::uint64_t kOneRequestNs = 100 * ums::kNsPerMs;

enum class Stage : std::uint8_t { nothing_begun, orderly, ending };

// Used by the signal handler, so they must be lock-free.
std::atomic<Stage> stage{Stage::nothing_begun};
std::atomic<int> kept_signal{0};
std::atomic<std::uint64_t> kept_since_ns{0};
std::atomic<bool> is_taken{false};  // the kept signal
std::atomic<int> event_descriptor{-1};
std::atomic<int> exit_code{to_int(ExitCode::stopped)};
std::atomic<int> code_without_memory{to_int(ExitCode::environment)};
std::atomic<bool> erases_line{false};
static_assert(std::atomic<Stage>::is_always_lock_free && std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

void write_to_stderr(std::string_view text) {
    // A failure cannot be handled here.
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

[[noreturn]] void end_process(bool has_begun) {
    if (erases_line.load()) write_to_stderr("\r\x1b[K");
    write_to_stderr(has_begun ? "ioproof: ended immediately; the files stay as they are\n" : "ioproof: stopped\n");
    ums::remove_unfinished_files();  // may block on a disk
    ::_exit(exit_code.load());
}

void on_signal(int signal) {
    Stage now = Stage::orderly;
    if (!stage.compare_exchange_strong(now, Stage::ending)) {
        const bool is_same_request = kept_signal.load() != 0 && ums::RealClock().now_ns() - kept_since_ns.load() < kOneRequestNs;
        if (now == Stage::ending && (signal == SIGHUP || is_same_request)) return;
        end_process(now == Stage::ending);
    }
    const int error_number = errno;
    is_taken = false;
    kept_since_ns = ums::RealClock().now_ns();
    kept_signal = signal;
    const std::uint64_t one = 1;
    ::alarm(kSecondsKept);  // before the signal can be taken
    [[maybe_unused]] const ssize_t written = ::write(event_descriptor, &one, sizeof one);
    errno = error_number;
}

// The code that should have taken the first signal waits for a disk that does not answer.
void on_alarm(int /*signal*/) {
    if (stage.load() == Stage::ending && !is_taken.load()) end_process(true);
}

bool is_ignored(int signal) {
    struct sigaction action {};
    return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

sigset_t stop_signals() {
    sigset_t signals;
    ::sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGALRM}) ::sigaddset(&signals, signal);
    return signals;
}

// A thread that waits for a disk in the kernel runs no handler, and the kernel prefers the main thread unless it blocks the signal: so an
// otherwise idle thread takes them. If it cannot be started, the main thread takes them.
void start_signal_thread() {
    static pid_t served = 0;  // a forked child has none of its parent's threads
    if (std::exchange(served, ::getpid()) == ::getpid()) return;
    const sigset_t signals = stop_signals();
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    try {
        ums::start_thread([signals] {
            ums::name_this_thread("signals");
            ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
            for (;;) ::pause();
        }).detach();
    } catch (const std::system_error&) {
        ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
    }
}

}  // namespace

void end_without_memory() {
    ums::remove_unfinished_files();
    if (erases_line.load()) write_to_stderr("\r\x1b[K");
    write_to_stderr("ioproof: ");
    write_to_stderr(ums::kMemoryLimitText);
    write_to_stderr("\n");
    const int code = exit_code.load();
    ::_exit(code == to_int(ExitCode::stopped) ? code_without_memory.load() : code);
}

void exit_immediately_without_memory(ExitCode code) {
    code_without_memory.store(to_int(code));
    ums::MemoryReserve::on_exhausted(end_without_memory);
}

void install_stop_signals() {
    stage = Stage::nothing_begun;
    kept_signal = 0;
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    ::sigfillset(&action.sa_mask);
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
    if (!is_ignored(SIGHUP)) ::sigaction(SIGHUP, &action, nullptr);
    action.sa_handler = on_alarm;
    ::sigaction(SIGALRM, &action, nullptr);
    start_signal_thread();
}

GracefulStop::GracefulStop() {
    if (event_descriptor < 0) {
        const int descriptor = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (descriptor < 0) throw sim::EnvironmentError(fmt::format("eventfd: {}.", std::generic_category().message(errno)));
        event_descriptor = descriptor;
    }
    // It came when the code that would have taken it had just looked for the last time: it is for this work.
    if (kept_signal != 0 && !is_taken) return;
    std::uint64_t earlier = 0;
    [[maybe_unused]] const ssize_t taken = ::read(event_descriptor, &earlier, sizeof earlier);
    kept_signal = 0;
    stage = Stage::orderly;
}

// The descriptor stays open: the handler may be about to write to it.
GracefulStop::~GracefulStop() { exit_immediately_on_signals(); }

int GracefulStop::signal() const { return kept_signal.load(); }

int GracefulStop::take() const {
    const int kept = kept_signal.load();
    if (kept == 0) return 0;
    is_taken = true;  // first: the handler, on another thread, may not have set the alarm yet
    ::alarm(0);
    return kept;
}

bool GracefulStop::wait(std::chrono::milliseconds pause) const {
    pollfd event{.fd = event_descriptor.load(), .events = POLLIN, .revents = 0};
    return ::poll(&event, 1, static_cast<int>(pause.count())) > 0;
}

int GracefulStop::descriptor() const { return event_descriptor.load(); }

void exit_immediately_on_signals() { stage = Stage::ending; }

void set_immediate_exit_code(ExitCode code) { exit_code.store(to_int(code)); }

void erase_line_at_exit(bool redraws) { erases_line.store(redraws); }

}  // namespace cli
