#include "ums/base/output_place.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>

#include "ums/base/uninterrupted.hpp"

namespace ums {

namespace {

// O_NONBLOCK: if the name has become a pipe since the check, opening must fail instead of waiting.
constexpr int kOutputFlags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

std::error_code place_error() { return {errno, std::generic_category()}; }

// Descriptor 1 or 2 if it writes to this file or device, else -1.
int standard_output_of(const struct stat& status) {
    for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
        struct stat own {};
        if (::fstat(descriptor, &own) == 0 && own.st_dev == status.st_dev && own.st_ino == status.st_ino) return descriptor;
    }
    return -1;
}

OutputStatus::Type type_of(const struct stat& status) {
    if (S_ISREG(status.st_mode)) return OutputStatus::Type::regular;
    if (S_ISDIR(status.st_mode)) return OutputStatus::Type::folder;
    if (S_ISFIFO(status.st_mode)) return OutputStatus::Type::pipe;
    return S_ISCHR(status.st_mode) ? OutputStatus::Type::device : OutputStatus::Type::other;
}

OutputStatus status_of(const struct stat& found) {
    OutputStatus status;
    status.type = type_of(found);
    status.size_bytes = static_cast<std::uint64_t>(found.st_size);
    status.standard_descriptor = standard_output_of(found);
    const dev_t device = found.st_rdev;
    const bool is_known = device == makedev(1, 3) || device == makedev(1, 7) || device == makedev(5, 0);  // null, full, tty
    status.is_harmless_device = status.type == OutputStatus::Type::device && (is_known || status.is_standard_output());
    return status;
}

std::string folder_of(const std::string& path) {
    const std::string folder = path.substr(0, path.find_last_of('/') + 1);
    return folder.empty() ? "." : folder;
}

// Of a block device: itself.
std::optional<dev_t> device_under(const std::string& path) {
    struct stat found {};
    if (::stat(path.c_str(), &found) == 0) return S_ISBLK(found.st_mode) ? found.st_rdev : found.st_dev;
    if (::stat(folder_of(path).c_str(), &found) == 0) return found.st_dev;
    return std::nullopt;
}

// Said of a folder as such: the file system has no such call. An error of the storage is another one.
bool cannot_be_synced(int number) {
    static constexpr std::array kErrors{EINVAL, EBADF, EOPNOTSUPP, ENOSYS};
    return std::find(kErrors.begin(), kErrors.end(), number) != kErrors.end();
}

std::error_code open_output_file(const std::string& path, int flags, mode_t mode, OutputHandle& output) {
    output = OutputHandle(::open(path.c_str(), flags, mode));
    return output.is_open() ? std::error_code{} : place_error();
}

}  // namespace

std::error_code read_output_status(const std::string& path, OutputStatus& status) {
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0) return place_error();
    status = status_of(found);
    return {};
}

std::error_code read_output_status(const OutputHandle& output, OutputStatus& status) {
    struct stat found {};
    if (::fstat(output.descriptor_, &found) != 0) return place_error();
    status = status_of(found);
    return {};
}

bool is_name_taken(const std::string& path) {
    struct stat link {};
    return ::lstat(path.c_str(), &link) == 0;
}

std::optional<std::string> real_path(const std::string& path) {
    const std::unique_ptr<char, void (*)(void*)> resolved(::realpath(path.c_str(), nullptr), std::free);
    return resolved ? std::optional<std::string>(resolved.get()) : std::nullopt;
}

std::optional<std::string> output_identity(const std::string& path) {
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0) return std::nullopt;
    return S_ISCHR(found.st_mode) ? std::string() : fmt::format("{}:{}", found.st_dev, found.st_ino);
}

std::error_code check_output_folder(const std::string& path) {
    return ::access(folder_of(path).c_str(), W_OK | X_OK) == 0 ? std::error_code{} : place_error();
}

std::error_code create_output(const std::string& path, OutputAccess access, OutputHandle& output) {
    constexpr mode_t kEveryone = 0666;
    constexpr mode_t kThisUser = 0600;
    return open_output_file(path, kOutputFlags | O_CREAT | O_EXCL, access == OutputAccess::everyone ? kEveryone : kThisUser, output);
}

std::error_code open_existing_output(const std::string& path, OutputHandle& output) {
    return open_output_file(path, kOutputFlags, 0, output);
}

std::error_code open_for_reading(const std::string& path, OutputHandle& output) {
    return open_output_file(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0, output);
}

std::error_code open_output_stream(const std::string& path, const OutputStatus& status, OutputHandle& output) {
    // The descriptor that the shell opened has a position in the file; opening the file again would start at the front.
    if (status.type == OutputStatus::Type::regular && status.is_standard_output()) {
        output = OutputHandle(::fcntl(status.standard_descriptor, F_DUPFD_CLOEXEC, 3));
        return output.is_open() ? std::error_code{} : place_error();
    }
    if (const auto error = open_output_file(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0, output)) return error;
    OutputStatus opened;
    const std::error_code unknown = read_output_status(output, opened);
    if (unknown || opened.type != status.type || opened.is_harmless_device != status.is_harmless_device) {
        output = OutputHandle();
        return unknown ? unknown : std::make_error_code(std::errc::file_exists);
    }
    ::fcntl(output.descriptor_, F_SETFL, ::fcntl(output.descriptor_, F_GETFL) & ~O_NONBLOCK);
    return {};
}

std::error_code replace_output(const std::string& from, const std::string& to) {
    return std::rename(from.c_str(), to.c_str()) == 0 ? std::error_code{} : place_error();
}

void remove_output(const std::string& path) { ::unlink(path.c_str()); }

std::error_code sync_folder_of(const std::string& path) {
    OutputHandle folder;
    if (const auto error = open_output_file(folder_of(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, folder)) return error;
    return sync_open_folder(folder.descriptor_);
}

std::error_code sync_open_folder(int folder) {
    const bool is_synced = uninterrupted([folder] { return ::fsync(folder); }) == 0;
    return is_synced || cannot_be_synced(errno) ? std::error_code{} : place_error();
}

bool are_on_one_file_system(const std::string& a, const std::string& b) {
    const std::optional<dev_t> first = device_under(a);
    return first && first == device_under(b);
}

// Not by the number of the process: in a container each one has the same, so what a kill left would be in the way of all later ones.
std::string temporary_name_beside(const std::string& path) {
    auto number = static_cast<std::uint64_t>(::getpid());  // stays if the system refuses a random one
    static_cast<void>(::getrandom(&number, sizeof number, 0));
    return fmt::format("{}.{:016x}.new", path, number);
}

}  // namespace ums
