// A program that we start and may have to end. It runs in its own process group, so that Ctrl-C reaches only us, and is killed if we are:
// no process may work on the files unsupervised.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ums/base/output_handle.hpp"

namespace ums {

struct ChildStart {
    std::string program{};                     // path
    std::vector<std::string> words{};          // argv, the program's name first
    std::string folder{};                      // its working directory
    std::string output_path{};                 // receives its output; created or emptied; a link is refused
    const OutputHandle* stays_open = nullptr;  // inherited, so that its lock is held until the child has ended
    bool ends_with_us = true;                  // false for a shell command, which must not be killed halfway
};

// On the main thread, which must outlive the child. From the first one on, this process handles SIGCHLD in the default way.
class ChildProcess {
public:
    // Throws std::system_error if it cannot be started.
    explicit ChildProcess(const ChildStart& start);
    // Kills the child if it is still running.
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    [[nodiscard]] int id() const { return pid_; }
    // The exit code once the child has ended; 128 + signal number if a signal ended it.
    [[nodiscard]] std::optional<int> exit_code();
    // Sends SIGKILL to the child and to everything it has started.
    void kill();

private:
    int pid_ = -1;
    std::optional<int> exit_code_;
};

// The last line that a child printed, for a message; empty if there is none, or the output is not a file.
std::string last_line(const std::string& output_path);

}  // namespace ums
