// A program that we start and may have to end. It is in a process group of its own, so that Ctrl-C reaches only us, and ends when we are
// killed: no process may work on files that nobody watches.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ums/base/output_handle.hpp"

namespace ums {

struct ChildStart {
    std::string program{};                     // path
    std::vector<std::string> words{};          // argv, the program's name first
    std::string folder{};                      // where it works
    std::string output_path{};                 // takes its output; recreated
    const OutputHandle* stays_open = nullptr;  // in it, too: so a lock holds until it has ended
    bool ends_with_us = true;                  // false: a shell's command, which must not be broken off halfway
};

// On the main thread, which must outlive the child.
class ChildProcess {
public:
    // Throws std::system_error if it cannot be started.
    explicit ChildProcess(const ChildStart& start);
    // Kills it if it has not ended.
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    [[nodiscard]] int id() const { return pid_; }
    // The exit code if it has ended, 128 + number if by a signal.
    [[nodiscard]] std::optional<int> exit_code();
    // SIGKILL for it and what it has started.
    void kill();

private:
    int pid_ = -1;
    std::optional<int> exit_code_;
};

// The last line that a child printed, for a message; empty if there is none.
std::string last_line(const std::string& output_path);

}  // namespace ums
