#include "ums/io/file_status.hpp"

#include <fcntl.h>
#include <linux/btrfs.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "ums/base/units.hpp"
#include "ums/io/errno_error.hpp"

namespace ums {

namespace {

FileKind kind_of(const struct stat& facts) {
    if (S_ISREG(facts.st_mode)) return FileKind::regular;
    if (S_ISDIR(facts.st_mode)) return FileKind::directory;
    if (S_ISBLK(facts.st_mode)) return FileKind::block_device;
    if (S_ISLNK(facts.st_mode)) return FileKind::link;
    return FileKind::other;
}

// 0 if it may not be opened.
std::uint64_t block_device_size(const std::string& path) {
    const int fd = uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC); });
    if (fd < 0) return 0;
    std::uint64_t size_bytes = 0;
    static_cast<void>(read_size(fd, size_bytes));
    ::close(fd);
    return size_bytes;
}

FileStatus status_from(const struct stat& facts) {
    FileStatus status;
    status.kind = kind_of(facts);
    if (status.kind == FileKind::block_device) {  // one device may have many names with an inode each
        status.device_id = facts.st_rdev;
        return status;
    }
    status.device_id = facts.st_dev;
    status.inode = facts.st_ino;
    status.size_bytes = static_cast<std::uint64_t>(facts.st_size);
    if (facts.st_nlink == 1) status.freed_by_removal_bytes = static_cast<std::uint64_t>(facts.st_blocks) * kStatBlockBytes;
    return status;
}

// Subvolumes of btrfs have device numbers of their own, and one space together.
std::uint64_t file_system_id(const std::string& folder, std::uint64_t device_id) {
    const int fd = uninterrupted([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
    if (fd < 0) return device_id;
    struct statfs facts {};
    btrfs_ioctl_fs_info_args info{};
    const bool is_btrfs = ::fstatfs(fd, &facts) == 0 && facts.f_type == BTRFS_SUPER_MAGIC && ::ioctl(fd, BTRFS_IOC_FS_INFO, &info) == 0;
    if (is_btrfs) std::memcpy(&device_id, info.fsid, sizeof device_id);
    ::close(fd);
    return device_id;
}

// The target of a link; if nothing is there, the text of the link itself.
void follow_link(const std::string& path, FileStatus& status) {
    std::error_code error;
    status.link_target = std::filesystem::canonical(path, error).string();
    status.is_dangling = static_cast<bool>(error);
    if (error) status.link_target = std::filesystem::read_symlink(path, error).string();
}

}  // namespace

std::error_code read_status(const std::string& path, FileStatus& status) {
    status = {};
    struct stat facts {};
    if (::lstat(path.c_str(), &facts) < 0) return errno == ENOENT ? std::error_code{} : last_errno_error();
    status = status_from(facts);
    if (status.kind == FileKind::block_device) status.size_bytes = block_device_size(path);
    if (status.kind == FileKind::link) follow_link(path, status);
    if (status.kind == FileKind::directory) status.file_system_id = file_system_id(path, status.device_id);
    return {};
}

std::error_code read_status(int fd, FileStatus& status) {
    struct stat facts {};
    if (::fstat(fd, &facts) < 0) return last_errno_error();
    status = status_from(facts);
    if (status.kind == FileKind::block_device) static_cast<void>(read_size(fd, status.size_bytes));
    return {};
}

std::error_code read_size(int fd, std::uint64_t& size_bytes) {
    struct stat facts {};
    if (::fstat(fd, &facts) < 0) return last_errno_error();
    off_t end = facts.st_size;
    // stat() does not know the size of a block device; seeking to its end does.
    if (S_ISBLK(facts.st_mode)) end = ::lseek(fd, 0, SEEK_END);
    if (end < 0) return last_errno_error();
    size_bytes = static_cast<std::uint64_t>(end);
    return {};
}

bool is_same_file(int fd, int other_fd) {
    struct stat facts {};
    struct stat other {};
    return ::fstat(fd, &facts) == 0 && ::fstat(other_fd, &other) == 0 && facts.st_dev == other.st_dev && facts.st_ino == other.st_ino;
}

bool is_read_only_device(int fd) {
    struct stat facts {};
    int takes_no_writes = 0;
    return ::fstat(fd, &facts) == 0 && S_ISBLK(facts.st_mode) && ::ioctl(fd, BLKROGET, &takes_no_writes) == 0 && takes_no_writes != 0;
}

}  // namespace ums
