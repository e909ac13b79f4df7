#include "ums/io/held_name.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "ums/base/output_place.hpp"
#include "ums/io/errno_error.hpp"
#include "ums/io/file_status.hpp"

namespace ums {
namespace {

std::string name_nobody_knows() {
    std::uint64_t number = 0;
    static_cast<void>(::getrandom(&number, sizeof number, 0));
    return fmt::format(".ioproof-{:016x}.removed", number);
}

// In a folder like /tmp only the superuser and the owners of file and folder may remove a file.
bool is_kept_by_sticky_folder(int folder, int fd) {
    struct stat of_folder {};
    struct stat of_file {};
    if (::fstat(folder, &of_folder) != 0 || ::fstat(fd, &of_file) != 0 || (of_folder.st_mode & S_ISVTX) == 0) return false;
    const uid_t user = ::geteuid();
    return user != 0 && user != of_file.st_uid && user != of_folder.st_uid;
}

bool has_attribute(int fd, std::uint64_t attributes) {
    struct statx facts {};
    return ::statx(fd, "", AT_EMPTY_PATH, 0, &facts) == 0 && (facts.stx_attributes & attributes) != 0;
}

// Not every file system can rename with a condition (NFS; the servers of FUSE have different words for that), nor may every process (a
// filter of system calls: EPERM). If it may rename nothing, it may not remove the file, either.
bool cannot_rename_so(int number) {
    static constexpr std::array kErrors{EINVAL, ENOSYS, EOPNOTSUPP, EPERM};
    return std::find(kErrors.begin(), kErrors.end(), number) != kErrors.end();
}

}  // namespace

std::error_code HeldName::hold(const std::string& path, std::unique_ptr<HeldName>& name) {
    const std::filesystem::path named(path);
    std::string folder = named.parent_path().string();
    if (folder.empty()) folder.assign(1, '.');
    const int fd = uninterrupted([&] { return ::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC); });
    if (fd < 0) return last_errno_error();
    name.reset(new HeldName(fd, named.filename().string()));
    return {};
}

HeldName::~HeldName() { ::close(folder_); }

int HeldName::open(int flags, mode_t mode) const {
    return uninterrupted([&] { return ::openat(folder_, name_.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, mode); });
}

int HeldName::open_again(int fd, const std::string& shown, int flags) const {
    int again = uninterrupted([&] { return ::open(shown.c_str(), flags | O_CLOEXEC); });
    if (again < 0 && errno == ENOENT) again = open(flags);
    if (again < 0 && errno == ELOOP) errno = ENOENT;  // a link has taken the name
    if (again < 0 || is_same_file(again, fd)) return again;
    ::close(again);
    errno = ENOENT;
    return -1;
}

int HeldName::open_unnamed(int flags, mode_t mode) const {
    return uninterrupted([&] { return ::openat(folder_, ".", flags | O_TMPFILE | O_CLOEXEC, mode); });
}

std::error_code HeldName::give_to(const std::string& shown) const {
    return ::linkat(AT_FDCWD, shown.c_str(), folder_, name_.c_str(), AT_SYMLINK_FOLLOW) == 0 ? std::error_code{} : last_errno_error();
}

bool HeldName::is_name_of(const std::string& name, int fd) const {
    struct stat named {};
    struct stat held {};
    return ::fstatat(folder_, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 && ::fstat(fd, &held) == 0 && named.st_dev == held.st_dev &&
           named.st_ino == held.st_ino;
}

std::error_code HeldName::rename(const std::string& from, const std::string& to) const {
    return ::renameat2(folder_, from.c_str(), folder_, to.c_str(), RENAME_NOREPLACE) == 0 ? std::error_code{} : last_errno_error();
}

// Another file can take the name between the check and the removal. So the file is first renamed to a name that nothing else knows, and is
// removed only if it then proves to be the right one.
std::error_code HeldName::remove(int fd) const {
    if (!is_name_of(name_, fd)) return errno_error(ENOENT);
    const std::string aside = name_nobody_knows();
    std::string last_name = aside;
    if (const std::error_code error = rename(name_, aside)) {
        if (!cannot_rename_so(error.value())) return error;
        last_name = name_;
    }
    std::error_code error = errno_error(ENOENT);
    if (is_name_of(last_name, fd)) error = ::unlinkat(folder_, last_name.c_str(), 0) == 0 ? std::error_code{} : last_errno_error();
    if (error && last_name == aside) static_cast<void>(rename(aside, name_));
    return error;
}

std::error_code HeldName::check_removal(int fd) const {
    if (::faccessat(folder_, ".", W_OK | X_OK, AT_EACCESS) != 0) return last_errno_error();
    const bool is_kept = is_kept_by_sticky_folder(folder_, fd) || has_attribute(folder_, STATX_ATTR_APPEND | STATX_ATTR_IMMUTABLE) ||
                         has_attribute(fd, STATX_ATTR_APPEND | STATX_ATTR_IMMUTABLE);
    return is_kept ? errno_error(EPERM) : std::error_code{};
}

std::error_code HeldName::sync() const {
    const int fd = uninterrupted([&] { return ::openat(folder_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
    const int number = fd >= 0 ? sync_open_folder(fd).value() : errno;
    if (fd >= 0) ::close(fd);
    // Whoever may not read a folder cannot sync it, either; files may be tested there all the same.
    return number == 0 || number == EACCES || number == EPERM ? std::error_code{} : errno_error(number);
}

namespace fs = std::filesystem;

namespace {

bool is_link(const fs::path& path) {
    std::error_code error;
    return fs::is_symlink(fs::symlink_status(path, error));
}

bool has_link(const fs::path& folder) {
    fs::path walked;
    return std::any_of(folder.begin(), folder.end(), [&](const fs::path& part) { return is_link(walked /= part); });
}

}  // namespace

std::error_code resolve_name(const std::string& path, std::string& resolved) {
    const fs::path named(path);
    const fs::path folder = named.has_parent_path() ? named.parent_path() : fs::path(".");
    std::error_code error;
    const fs::path canonical = fs::canonical(folder, error);
    if (error) return error;
    if (!fs::is_directory(canonical, error)) return error ? error : std::make_error_code(std::errc::not_a_directory);
    fs::path result = has_link(folder) ? canonical / named.filename() : named;
    if (is_link(result) && fs::is_block_file(result, error)) result = fs::canonical(result, error);
    resolved = result.string();
    return {};
}

}  // namespace ums
