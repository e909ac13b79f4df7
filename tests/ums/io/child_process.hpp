// A part of a test in a process of its own: for what cannot be undone, such as a filter for system calls.
#pragma once

#include <functional>
#include <string>

namespace ums::testing {

// Runs `body` in a child process and gives what it returns; "died" if it did not get that far. No other thread may be running.
[[nodiscard]] std::string in_child_process(const std::function<std::string()>& body);

enum class SystemCall { io_uring_setup, io_uring_enter, io_uring_register };

// From now on this process gets `error_number` from `call`. False where that cannot be arranged.
[[nodiscard]] bool forbid(SystemCall call, int error_number);

// Puts a new, empty file system of `type` ("tmpfs", "ramfs") over `folder`, seen by this process only. False where that is not allowed.
[[nodiscard]] bool mount_privately(const std::string& type, const std::string& folder, const std::string& options = {});

}  // namespace ums::testing
