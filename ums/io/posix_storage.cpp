#include "ums/io/posix_storage.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "ums/base/assert.hpp"
#include "ums/io/blocking_io.hpp"
#include "ums/io/engine_choice.hpp"
#include "ums/io/errno_error.hpp"
#include "ums/io/file_mapping.hpp"
#include "ums/io/file_status.hpp"
#include "ums/io/file_system_space.hpp"
#include "ums/io/held_name.hpp"
#include "ums/io/mapped_engine.hpp"
#include "ums/io/null_engine.hpp"

namespace ums {

namespace {

constexpr mode_t kNewFileMode = 0644;

std::error_code error_of(long result) { return result < 0 ? last_errno_error() : std::error_code{}; }

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

PosixStorage::PosixStorage(std::string descriptor_folder) : descriptor_folder_(std::move(descriptor_folder)) {}

PosixStorage::~PosixStorage() = default;

std::error_code PosixStorage::resolve(const std::string& path, std::string& resolved) { return resolve_name(path, resolved); }

std::error_code PosixStorage::status(const std::string& path, FileStatus& status) { return read_status(path, status); }

std::error_code PosixStorage::status_of(FileHandle file, FileStatus& status) { return read_status(file.value, status); }

std::error_code PosixStorage::open(const std::string& path, const OpenOptions& options, FileHandle& file) {
    std::unique_ptr<HeldName> name;
    if (const std::error_code error = HeldName::hold(path, name)) return error;
    const int fd = options.create_new ? create(*name, options) : name->open(open_flags(options));
    if (fd < 0) return last_errno_error();
    if (!options.read_only && is_read_only_device(fd)) {
        ::close(fd);
        return errno_error(EROFS);
    }
    file = FileHandle{fd, is_in_memory(fd)};
    const std::lock_guard lock(mutex_);
    names_[fd] = std::move(name);
    return {};
}

// Linux creates a file before it finds that direct I/O is not possible there. So the file is created without O_DIRECT, opened a second time
// with it, and removed if that fails.
int PosixStorage::create(const HeldName& name, const OpenOptions& options) const {
    int created = create_filled(name, options.first_bytes);
    if (created < 0) created = name.open(open_flags({}) | O_CREAT | O_EXCL, kNewFileMode);
    if (created < 0) return created;
    const int fd = name.open_again(created, shown_as(created), open_flags(options));
    const int number = errno;
    if (fd < 0) static_cast<void>(name.remove(created));
    ::close(created);
    errno = number;
    return fd;
}

// -1 if there is nothing to fill it with, or if the file system cannot do so. Opened anew by its name, because the system goes on calling
// the first descriptor's file a deleted one.
int PosixStorage::create_filled(const HeldName& name, std::span<const std::byte> bytes) const {
    if (bytes.empty()) return -1;
    const int fd = name.open_unnamed(open_flags({}), kNewFileMode);
    if (fd < 0) return fd;
    const bool is_filled = ::pwrite(fd, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
    const bool has_name = is_filled && !name.give_to(shown_as(fd));
    int named = has_name ? name.open(open_flags({})) : -1;
    if (named >= 0 && !is_same_file(named, fd)) {
        ::close(named);
        named = -1;
    }
    if (has_name && named < 0) static_cast<void>(name.remove(fd));  // otherwise a start that fails would leave it behind
    ::close(fd);
    return named;
}

std::string PosixStorage::shown_as(int fd) const { return fmt::format("{}/{}", descriptor_folder_, fd); }

std::error_code PosixStorage::reopen(FileHandle file, const OpenOptions& options, FileHandle& again) {
    const std::shared_ptr<const HeldName> name = name_of(file);
    UMS_ASSERT(name != nullptr);  // of open(), not of reopen()
    if (options.view != FileView::none && options.direct) return errno_error(EINVAL);
    const int fd = name->open_again(file.value, shown_as(file.value), open_flags(options));
    if (fd < 0) return last_errno_error();
    FileHandle opened{fd, file.is_in_memory};
    if (options.view != FileView::none) {
        if (const std::error_code error = add_view(opened, options)) {
            ::close(fd);
            return error;
        }
    }
    again = opened;
    return {};
}

std::error_code PosixStorage::add_view(FileHandle& file, const OpenOptions& options) {
    std::unique_ptr<FileMapping> mapping;
    if (const std::error_code error = FileMapping::map(file, options.view, !options.read_only, mapping)) return error;
    file.mapping = mapping.get();
    const std::lock_guard lock(mutex_);
    mappings_[file.value] = std::move(mapping);
    return {};
}

std::shared_ptr<const HeldName> PosixStorage::name_of(FileHandle file) const {
    const std::lock_guard lock(mutex_);
    const auto found = names_.find(file.value);
    return found == names_.end() ? nullptr : found->second;
}

// Linux releases the handle even if close() was interrupted, so it must not be retried.
void PosixStorage::close(FileHandle file) {
    std::shared_ptr<const HeldName> name;  // its folder is closed without the lock
    std::unique_ptr<FileMapping> mapping;  // unmapped likewise, which may take a while
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = names_.find(file.value); found != names_.end()) {
            name = std::move(found->second);
            names_.erase(found);
        }
        if (const auto found = mappings_.find(file.value); found != mappings_.end()) {
            mapping = std::move(found->second);
            mappings_.erase(found);
        }
    }
    mapping.reset();
    ::close(file.value);
}

std::error_code PosixStorage::remove(FileHandle file) {
    const std::shared_ptr<const HeldName> name = name_of(file);
    UMS_ASSERT(name != nullptr);
    return name->remove(file.value);
}

std::error_code PosixStorage::check_removal(FileHandle file) {
    const std::shared_ptr<const HeldName> name = name_of(file);
    UMS_ASSERT(name != nullptr);
    return name->check_removal(file.value);
}

// A file system does not allow seeking beyond the largest size that it can store.
std::error_code PosixStorage::check_size(FileHandle file, std::uint64_t size_bytes) {
    struct rlimit limit {};
    const bool is_limited = ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < size_bytes;
    if (is_limited || ::lseek(file.value, static_cast<off_t>(size_bytes), SEEK_SET) < 0) return errno_error(EFBIG);
    return {};
}

// NFS locks exclusively only what is open for writing (flock(2)). A shared lock keeps out everyone who writes, too.
std::error_code PosixStorage::lock(FileHandle file) {
    const std::error_code error = error_of(uninterrupted([&] { return ::flock(file.value, LOCK_EX | LOCK_NB); }));
    return error == std::errc::bad_file_descriptor ? lock_shared(file) : error;
}

std::error_code PosixStorage::lock_shared(FileHandle file) {
    return error_of(uninterrupted([&] { return ::flock(file.value, LOCK_SH | LOCK_NB); }));
}

void PosixStorage::unlock(FileHandle file) {
    static_cast<void>(uninterrupted([&] { return ::flock(file.value, LOCK_UN); }));
}

std::error_code PosixStorage::size(FileHandle file, std::uint64_t& size_bytes) { return read_size(file.value, size_bytes); }

std::error_code PosixStorage::allocate(FileHandle file, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    return perform(IoOperation::allocate, file, offset_bytes, size_bytes);
}

std::error_code PosixStorage::truncate(FileHandle file, std::uint64_t size_bytes) {
    return perform(IoOperation::truncate, file, size_bytes);
}

std::error_code PosixStorage::sync(FileHandle file) { return perform(IoOperation::sync, file); }

std::error_code PosixStorage::sync_name(FileHandle file) {
    const std::shared_ptr<const HeldName> name = name_of(file);
    UMS_ASSERT(name != nullptr);
    return name->sync();
}

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
    FileSystemSpace space;
    std::error_code error = read_file_system_space(path, space);
    if (error == std::errc::no_such_file_or_directory) {
        const std::string folder = std::filesystem::path(path).parent_path().string();
        error = read_file_system_space(folder.empty() ? "." : folder, space);
    }
    free_bytes = space.free_bytes;
    return error;
}

std::error_code PosixStorage::drop_cache(FileHandle file) {
    const std::error_code error = sync(file);
    ::posix_fadvise(file.value, 0, 0, POSIX_FADV_DONTNEED);
    return error;
}

const UringSupport& PosixStorage::uring_support() {
    const std::lock_guard lock(mutex_);
    if (!uring_support_) uring_support_ = probe_uring();
    return *uring_support_;
}

std::unique_ptr<IoEngine> PosixStorage::make_engine(const EngineOptions& options, std::string& reason) {
    reason.clear();
    std::unique_ptr<IoEngine> engine = make_plain_engine(options, reason);
    if (options.has_views) engine = std::make_unique<MappedEngine>(std::move(engine));
    return engine;
}

std::unique_ptr<IoEngine> PosixStorage::make_plain_engine(const EngineOptions& options, std::string& reason) {
    if (options.kind == EngineKind::threads) return make_threads_engine(options);
    if (options.kind == EngineKind::null) return std::make_unique<NullEngine>();
    return options.kind == EngineKind::uring ? make_uring_engine(options, uring_support())
                                             : make_best_engine(options, uring_support(), reason);
}

}  // namespace ums
