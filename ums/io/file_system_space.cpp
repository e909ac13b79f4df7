#include "ums/io/file_system_space.hpp"

#include <sys/statvfs.h>

#include <cerrno>

#include "ums/io/errno_error.hpp"

namespace ums {

std::error_code read_file_system_space(const std::string& path, FileSystemSpace& space) {
    struct statvfs facts {};
    if (uninterrupted([&] { return ::statvfs(path.c_str(), &facts); }) < 0) return last_errno_error();
    if (facts.f_blocks == 0) return errno_error(EOPNOTSUPP);
    space.size_bytes = std::uint64_t{facts.f_blocks} * facts.f_frsize;
    space.free_bytes = std::uint64_t{facts.f_bavail} * facts.f_frsize;
    return {};
}

}  // namespace ums
