// How large a file system is, and how much of it is free.
#pragma once

#include <cstdint>
#include <string>
#include <system_error>

namespace ums {

struct FileSystemSpace {
    std::uint64_t size_bytes = 0;
    std::uint64_t free_bytes = 0;  // for unprivileged users
};

// Of the file system that holds `path`, which exists. May wait for the device. operation_not_supported if it does not count its space:
// tmpfs without a limit and many FUSE file systems say that they have 0 bytes.
[[nodiscard]] std::error_code read_file_system_space(const std::string& path, FileSystemSpace& space);

}  // namespace ums
