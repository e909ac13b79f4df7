// Runs a program as a user would: in a folder, with its output kept, with signals, and with limited patience.
#pragma once

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace test {

inline std::string read_text(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

// A folder that is removed with its contents.
class TempFolder {
public:
    // `parent` is the folder for temporary files, unless a test needs another file system.
    explicit TempFolder(const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
        std::string pattern = (parent / "ioproof-test-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr) throw std::system_error(errno, std::generic_category(), pattern);
        path_ = pattern;
    }
    ~TempFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

// One run of a program. Its standard output and error go to files, so the test can never block it.
class Process {
public:
    // Starts `words` (the first is the program's path) in `folder`.
    Process(std::vector<std::string> words, const std::filesystem::path& folder) : words_(std::move(words)) {
        std::vector<char*> arguments;
        for (std::string& word : words_) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        // A signal that arrives before the program has begun must reach the program, not the test's handlers.
        sigset_t all;
        sigset_t before;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before);
        pid_ = ::fork();
        if (pid_ != 0) ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
        if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
        if (pid_ == 0) become(arguments, folder, before);
    }
    ~Process() {
        if (pid_ <= 0 || ended_) return;
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    void send(int signal) const { ::kill(pid_, signal); }

    // Waits for the end and returns the exit code; 128 + number if a signal ended it. After `patience` it kills the program and throws.
    int wait(std::chrono::seconds patience = std::chrono::seconds(60)) {
        const auto deadline = std::chrono::steady_clock::now() + patience;
        while (!poll()) {
            if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("the program does not end: " + error());
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return exit_code_;
    }

    // Waits until the output or messages contain `text`; false if the program ends or `patience` is over before.
    bool says(const std::string& text, std::chrono::seconds patience = std::chrono::seconds(60)) {
        const auto deadline = std::chrono::steady_clock::now() + patience;
        for (;;) {
            const bool ended = poll();
            if ((output() + error()).find(text) != std::string::npos) return true;
            if (ended || std::chrono::steady_clock::now() > deadline) return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }

    bool is_running() { return !poll(); }

    // The mappings of the program's memory.
    [[nodiscard]] std::string maps() const { return read_text("/proc/" + std::to_string(pid_) + "/maps"); }
    [[nodiscard]] std::string output() const { return read_text(captured_ / "out"); }
    [[nodiscard]] std::string error() const { return read_text(captured_ / "err"); }

private:
    static constexpr unsigned kCloseOnExec = 1U << 2;  // CLOSE_RANGE_CLOEXEC, which older headers lack

    [[noreturn]] void become(const std::vector<char*>& arguments, const std::filesystem::path& folder, const sigset_t& mask) const {
        // As a terminal starts it, even if the tests run in the background or under nohup.
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
        ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
        const int out = ::open((captured_ / "out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        const int err = ::open((captured_ / "err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        const int in = ::open("/dev/null", O_RDONLY);
        const bool ready = out >= 0 && err >= 0 && in >= 0 && ::dup2(in, 0) == 0 && ::dup2(out, 1) == 1 && ::dup2(err, 2) == 2 &&
                           ::chdir(folder.c_str()) == 0;
        // The program must not inherit the test's listening sockets.
        ::syscall(SYS_close_range, 3U, ~0U, kCloseOnExec);
        if (ready) ::execv(arguments[0], arguments.data());
        ::_exit(127);
    }

    // True if it has ended.
    bool poll() {
        int status = 0;
        if (!ended_ && ::waitpid(pid_, &status, WNOHANG) == pid_) {
            ended_ = true;
            exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        }
        return ended_;
    }

    std::vector<std::string> words_;
    TempFolder captured_folder_;
    std::filesystem::path captured_ = captured_folder_.path();
    pid_t pid_ = -1;
    bool ended_ = false;
    int exit_code_ = -1;
};

}  // namespace test
