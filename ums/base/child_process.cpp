#include "ums/base/child_process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

#include "ums/base/input_file.hpp"

namespace ums {
namespace {

constexpr std::size_t kLastCharacters = 600;
constexpr std::size_t kOutputBytesMax = 64UL * 1024 * 1024;
constexpr int kCannotStart = 127;  // as shells say it

// Between fork and exec: only async-signal-safe calls.
[[noreturn]] void become_child(const ChildStart& start, int stays_open, char* const* words, pid_t parent) {
    if (start.ends_with_us) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) ::_exit(kCannotStart);
    }
    ::setpgid(0, 0);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    const int input = ::open("/dev/null", O_RDONLY);
    // A link may lead to any file, which must not be emptied; a pipe without a reader must not hold up the child.
    const int output = ::open(start.output_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK, 0644);
    const bool ready = input >= 0 && output >= 0 && ::dup2(input, STDIN_FILENO) >= 0 && ::dup2(output, STDOUT_FILENO) >= 0 &&
                       ::dup2(output, STDERR_FILENO) >= 0 && ::chdir(start.folder.c_str()) == 0;
    if (stays_open >= 0) ::fcntl(stays_open, F_SETFD, 0);
    if (ready) ::execv(start.program.c_str(), words);
    ::_exit(kCannotStart);
}

}  // namespace

ChildProcess::ChildProcess(const ChildStart& start) {
    std::vector<std::string> words = start.words;
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const pid_t parent = ::getpid();
    // Whoever started us may have left it ignored, and the system then tells nobody how a child has ended.
    ::signal(SIGCHLD, SIG_DFL);
    pid_ = ::fork();
    if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (pid_ == 0) become_child(start, start.stays_open == nullptr ? -1 : start.stays_open->descriptor_, pointers.data(), parent);
    ::setpgid(pid_, pid_);  // in parent and child: it must be done before either continues
}

ChildProcess::~ChildProcess() {
    kill();
    // Storage that no longer answers can keep the process in the kernel indefinitely, so this does not wait.
    static_cast<void>(exit_code());
}

std::optional<int> ChildProcess::exit_code() {
    int status = 0;
    if (!exit_code_ && ::waitpid(pid_, &status, WNOHANG) == pid_) {
        exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    return exit_code_;
}

void ChildProcess::kill() {
    if (!exit_code()) ::kill(-pid_, SIGKILL);
}

std::string last_line(const std::string& output_path) {
    std::string text = read_input_file(output_path, kOutputBytesMax).bytes;
    while (!text.empty() && text.back() == '\n') text.pop_back();
    text.erase(0, text.rfind('\n') + 1);  // everything if there is no other line
    return text.size() <= kLastCharacters ? text : text.substr(text.size() - kLastCharacters);
}

}  // namespace ums
