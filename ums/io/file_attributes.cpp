#include "ums/io/file_attributes.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>

#include "ums/base/units.hpp"
#include "ums/io/errno_error.hpp"

namespace ums {

namespace {

// File systems may keep the end of a file in its inode, or round sizes: holes smaller than this do not count.
constexpr std::uint64_t kSparseMarginBytes = 65536;

}  // namespace

std::error_code read_file_attributes(const std::string& path, FileAttributes& attributes) {
    attributes = {};
    const int fd = uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); });
    if (fd < 0) return last_errno_error();
    struct stat facts {};
    const std::error_code error = ::fstat(fd, &facts) < 0 ? last_errno_error() : std::error_code{};
    if (!error && S_ISREG(facts.st_mode)) {
        attributes.is_sparse =
            static_cast<std::uint64_t>(facts.st_blocks) * kStatBlockBytes + kSparseMarginBytes < static_cast<std::uint64_t>(facts.st_size);
        int flags = 0;
        if (::ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0) {
            attributes.is_compressed = (flags & FS_COMPR_FL) != 0;
            attributes.is_encrypted = (flags & FS_ENCRYPT_FL) != 0;
        }
    }
    ::close(fd);
    return error;
}

}  // namespace ums
