#include "ums/io/posix_storage.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <filesystem>

#include "ums/io/blocking_io.hpp"
#include "ums/io/engine_choice.hpp"
#include "ums/io/errno_error.hpp"
#include "ums/io/null_engine.hpp"

namespace ums {

namespace {

constexpr mode_t kNewFileMode = 0644;

std::error_code error_of(long result) { return result < 0 ? last_errno_error() : std::error_code{}; }

FileKind kind_of(const struct stat& facts) {
    if (S_ISREG(facts.st_mode)) return FileKind::regular;
    if (S_ISDIR(facts.st_mode)) return FileKind::directory;
    if (S_ISBLK(facts.st_mode)) return FileKind::block_device;
    return FileKind::other;
}

// A block device has no size of its own in stat(); its end is where one can seek to. 0 if it may not be opened.
std::uint64_t block_device_size(const std::string& path) {
    const int fd = uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); });
    if (fd < 0) return 0;
    const off_t end = ::lseek(fd, 0, SEEK_END);
    ::close(fd);
    return end < 0 ? 0 : static_cast<std::uint64_t>(end);
}

int open_flags(const OpenOptions& options) {
    int flags = O_CLOEXEC | (options.read_only ? O_RDONLY : O_RDWR);
    if (options.direct) flags |= O_DIRECT;
    if (options.durable_writes) flags |= O_DSYNC;
    if (options.exclusive) flags |= O_EXCL;  // without O_CREAT, of a device: nobody else has claimed it
    return flags;
}

bool is_in_memory(int fd) {
    struct statfs facts {};
    return ::fstatfs(fd, &facts) == 0 && (facts.f_type == TMPFS_MAGIC || facts.f_type == RAMFS_MAGIC);
}

bool is_same_file(int fd, int other_fd) {
    struct stat facts {};
    struct stat other {};
    return ::fstat(fd, &facts) == 0 && ::fstat(other_fd, &other) == 0 && facts.st_dev == other.st_dev && facts.st_ino == other.st_ino;
}

// Linux creates the file before it finds that it cannot do direct I/O there. So the file is created plainly, opened a second time as it
// should be, and removed if that fails: it is ours, nobody else can have made it.
int create_then_open(const std::string& path, int flags) {
    const int created = uninterrupted([&] { return ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kNewFileMode); });
    if (created < 0) return created;
    int fd = uninterrupted([&] { return ::open(path.c_str(), flags); });
    int number = fd < 0 ? errno : 0;
    if (fd < 0) {
        ::unlink(path.c_str());
    } else if (!is_same_file(fd, created)) {  // somebody put another file in its place meanwhile: not ours to touch
        ::close(fd);
        fd = -1;
        number = EEXIST;
    }
    ::close(created);
    errno = number;
    return fd;
}

// An operation that transfers nothing.
std::error_code perform(IoOperation operation, FileHandle file, std::uint64_t offset_bytes = 0, std::uint64_t size_bytes = 0) {
    IoRequest request;
    request.operation = operation;
    request.file = file;
    request.offset_bytes = offset_bytes;
    request.size_bytes = size_bytes;
    perform_blocking(request);
    return request.error;
}

}  // namespace

std::error_code PosixStorage::status(const std::string& path, FileStatus& status) {
    status = {};
    struct stat facts {};
    if (::stat(path.c_str(), &facts) < 0) return errno == ENOENT ? std::error_code{} : last_errno_error();
    status.kind = kind_of(facts);
    if (status.kind == FileKind::block_device) {  // one device may have many names with an inode each
        status.device_id = facts.st_rdev;
        status.size_bytes = block_device_size(path);
    } else {
        status.device_id = facts.st_dev;
        status.inode = facts.st_ino;
        status.size_bytes = static_cast<std::uint64_t>(facts.st_size);
    }
    return {};
}

std::error_code PosixStorage::open(const std::string& path, const OpenOptions& options, FileHandle& file) {
    const int flags = open_flags(options);
    const bool is_refusal_possible = options.create_new && options.direct;
    const int create_flags = options.create_new ? O_CREAT | O_EXCL : 0;
    const int fd = is_refusal_possible ? create_then_open(path, flags)
                                       : uninterrupted([&] { return ::open(path.c_str(), flags | create_flags, kNewFileMode); });
    if (fd < 0) return last_errno_error();
    file = FileHandle{fd, is_in_memory(fd)};
    return {};
}

// Linux releases the handle even if close() was interrupted: it must not be tried again.
void PosixStorage::close(FileHandle file) { ::close(file.value); }

std::error_code PosixStorage::remove(const std::string& path) {
    if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
    return last_errno_error();
}

std::error_code PosixStorage::lock(FileHandle file) {
    return error_of(uninterrupted([&] { return ::flock(file.value, LOCK_EX | LOCK_NB); }));
}

std::error_code PosixStorage::size(FileHandle file, std::uint64_t& size_bytes) {
    struct stat facts {};
    if (::fstat(file.value, &facts) < 0) return last_errno_error();
    off_t end = facts.st_size;
    if (S_ISBLK(facts.st_mode)) {
        end = ::lseek(file.value, 0, SEEK_END);
        if (end < 0) return last_errno_error();
    }
    size_bytes = static_cast<std::uint64_t>(end);
    return {};
}

std::error_code PosixStorage::allocate(FileHandle file, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    return perform(IoOperation::allocate, file, offset_bytes, size_bytes);
}

std::error_code PosixStorage::truncate(FileHandle file, std::uint64_t size_bytes) {
    return perform(IoOperation::truncate, file, size_bytes);
}

std::error_code PosixStorage::sync(FileHandle file) { return perform(IoOperation::sync, file); }

std::error_code PosixStorage::read(FileHandle file, std::uint64_t offset_bytes, std::byte* data, std::size_t size_bytes,
                                   std::size_t& transferred_bytes) {
    const IoSegment segment{data, size_bytes};
    IoRequest request;
    request.operation = IoOperation::read;
    request.file = file;
    request.offset_bytes = offset_bytes;
    request.size_bytes = size_bytes;
    request.segments = &segment;
    request.segment_count = 1;
    perform_blocking(request);
    transferred_bytes = request.transferred_bytes;
    return request.error;
}

std::error_code PosixStorage::next_data(FileHandle file, std::uint64_t offset_bytes, std::uint64_t& begin_bytes, std::uint64_t& end_bytes) {
    std::uint64_t size_bytes = 0;
    if (const std::error_code error = size(file, size_bytes)) return error;
    begin_bytes = end_bytes = size_bytes;
    if (offset_bytes >= size_bytes) return {};
    const off_t begin = ::lseek(file.value, static_cast<off_t>(offset_bytes), SEEK_DATA);
    if (begin < 0) {
        if (errno == ENXIO) return {};
        if (errno != EINVAL && errno != EOPNOTSUPP) return last_errno_error();
        begin_bytes = offset_bytes;  // holes are not known here
        return {};
    }
    const off_t end = ::lseek(file.value, begin, SEEK_HOLE);
    if (end < 0) return last_errno_error();
    begin_bytes = static_cast<std::uint64_t>(begin);
    end_bytes = static_cast<std::uint64_t>(end);
    return {};
}

std::error_code PosixStorage::free_space(const std::string& path, std::uint64_t& free_bytes) {
    struct statvfs facts {};
    int result = uninterrupted([&] { return ::statvfs(path.c_str(), &facts); });
    if (result < 0 && errno == ENOENT) {
        const std::string folder = std::filesystem::path(path).parent_path().string();
        result = uninterrupted([&] { return ::statvfs(folder.empty() ? "." : folder.c_str(), &facts); });
    }
    if (result < 0) return last_errno_error();
    free_bytes = std::uint64_t{facts.f_bavail} * facts.f_frsize;
    return {};
}

void PosixStorage::drop_cache(FileHandle file) {
    ::fdatasync(file.value);
    ::posix_fadvise(file.value, 0, 0, POSIX_FADV_DONTNEED);
}

const UringSupport& PosixStorage::uring_support() {
    const std::lock_guard lock(mutex_);
    if (!uring_support_) uring_support_ = probe_uring();
    return *uring_support_;
}

std::unique_ptr<IoEngine> PosixStorage::make_engine(const EngineOptions& options, std::string& reason) {
    reason.clear();
    if (options.kind == EngineKind::threads) return make_threads_engine(options);
    if (options.kind == EngineKind::null) return std::make_unique<NullEngine>();
    return options.kind == EngineKind::uring ? make_uring_engine(options, uring_support())
                                             : make_best_engine(options, uring_support(), reason);
}

}  // namespace ums
