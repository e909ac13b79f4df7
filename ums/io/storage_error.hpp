// Errors of storage that the standard library has no names for: only the platform knows them.
#pragma once

#include <system_error>

namespace ums {

// What the handle leads to no longer exists: a server forgot the file, a transport was shut down.
[[nodiscard]] bool is_lost_file(const std::error_code& error);

// The storage, or the file system on it, says that it is damaged: an error at a remote place, a structure that needs repair.
[[nodiscard]] bool is_damaged_storage(const std::error_code& error);

}  // namespace ums
