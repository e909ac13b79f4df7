// Runs a part of a test in a process of its own, for what cannot be undone, such as a filter for system calls.
#pragma once

#include <functional>
#include <string>

namespace ums::testing {

// Runs `body` in a child process and returns its result; "died" if it did not get that far. No other thread may be running.
[[nodiscard]] std::string in_child_process(const std::function<std::string()>& body);

enum class SystemCall { io_uring_setup, io_uring_enter, io_uring_register, renameat2, clone3 };

// From now on `call` fails with `error_number` in this process. False if that cannot be arranged.
[[nodiscard]] bool forbid(SystemCall call, int error_number);

// From now on flock(`descriptor`, `operation`) fails with `error_number` in this process. False if that cannot be arranged.
[[nodiscard]] bool forbid_flock(int descriptor, int operation, int error_number);

// Puts a new, empty file system of `type` ("tmpfs", "ramfs") over `folder`, visible to this process only. False if that is not allowed.
[[nodiscard]] bool mount_privately(const std::string& type, const std::string& folder, const std::string& options = {});

}  // namespace ums::testing
