// The one place where errno becomes an error code. ums/base/error_text.hpp has its text for people.
#pragma once

#include <cerrno>
#include <system_error>

#include "ums/base/error_text.hpp"
#include "ums/base/uninterrupted.hpp"

namespace ums {

// For an errno value, as system calls and io_uring return it. Compares with std::errc.
[[nodiscard]] inline std::error_code errno_error(int number) { return {number, std::system_category()}; }

// For the calling thread's errno.
[[nodiscard]] inline std::error_code last_errno_error() { return errno_error(errno); }

// Errors of storage that the standard library has no names for: only the platform knows them.
// What the handle refers to no longer exists: a server forgot the file, a transport was shut down.
[[nodiscard]] bool is_lost_file(const std::error_code& error);

// The storage, or the file system on it, reports damage: a remote I/O error, a structure that needs repair.
[[nodiscard]] bool is_damaged_storage(const std::error_code& error);

}  // namespace ums
