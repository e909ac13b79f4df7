// What a name or a descriptor refers to.
#pragma once

#include <cstdint>
#include <string>
#include <system_error>

#include "ums/io/storage.hpp"

namespace ums {

// See Storage::status() and Storage::status_of().
[[nodiscard]] std::error_code read_status(const std::string& path, FileStatus& status);
[[nodiscard]] std::error_code read_status(int fd, FileStatus& status);

// See Storage::size(). Of a block device: where it ends.
[[nodiscard]] std::error_code read_size(int fd, std::uint64_t& size_bytes);

// Whether both descriptors are of one file.
[[nodiscard]] bool is_same_file(int fd, int other_fd);

// True if the descriptor is of a block device that takes no writes. Linux opens one for writing nevertheless, and refuses each write
// (EPERM).
[[nodiscard]] bool is_read_only_device(int fd);

}  // namespace ums
