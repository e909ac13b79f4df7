#include "ums/base/output_handle.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "ums/base/uninterrupted.hpp"

namespace ums {

namespace {

std::error_code output_error() { return {errno, std::generic_category()}; }

// Only root gives files to another user; others may still give theirs to a group of their own.
void give_to_owner_of(int descriptor, const struct stat& file) {
    if (::fchown(descriptor, file.st_uid, file.st_gid) == 0) return;
    [[maybe_unused]] const int refused = ::fchown(descriptor, static_cast<uid_t>(-1), file.st_gid);
}

// `write_some(bytes)` writes a part of them, as write() does.
template <typename WriteSome>
std::error_code write_to_end(std::string_view bytes, WriteSome write_some) {
    while (!bytes.empty()) {
        const ssize_t written = write_some(bytes);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return output_error();
        if (written == 0) return std::make_error_code(std::errc::no_space_on_device);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

}  // namespace

OutputHandle::OutputHandle(OutputHandle&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

OutputHandle& OutputHandle::operator=(OutputHandle&& other) noexcept {
    if (this != &other) {
        static_cast<void>(close());
        descriptor_ = std::exchange(other.descriptor_, -1);
    }
    return *this;
}

OutputHandle::~OutputHandle() { static_cast<void>(close()); }

std::error_code OutputHandle::write(std::string_view bytes) {
    return write_to_end(bytes, [this](std::string_view rest) { return ::write(descriptor_, rest.data(), rest.size()); });
}

std::error_code OutputHandle::write_at(std::uint64_t offset_bytes, std::string_view bytes) {
    return write_to_end(bytes, [this, end_bytes = offset_bytes + bytes.size()](std::string_view rest) {
        return ::pwrite(descriptor_, rest.data(), rest.size(), static_cast<off_t>(end_bytes - rest.size()));
    });
}

std::error_code OutputHandle::truncate(std::uint64_t size_bytes) {
    const auto cut = [&] { return ::ftruncate(descriptor_, static_cast<off_t>(size_bytes)); };
    return uninterrupted(cut) == 0 ? std::error_code{} : output_error();
}

// What lies behind the present end comes first: only that needs room.
std::error_code OutputHandle::overwrite(std::string_view bytes) {
    const std::size_t kept_bytes = std::min<std::size_t>(bytes.size(), size_bytes().value_or(0));
    if (const auto error = write_at(kept_bytes, bytes.substr(kept_bytes))) {
        static_cast<void>(truncate(kept_bytes));
        return error;
    }
    std::error_code error = write_at(0, bytes.substr(0, kept_bytes));
    if (!error) error = truncate(bytes.size());
    if (error) static_cast<void>(truncate(0));  // half of it is of no use
    return error;
}

std::error_code OutputHandle::sync() {
    return uninterrupted([this] { return ::fdatasync(descriptor_); }) == 0 ? std::error_code{} : output_error();
}

void OutputHandle::append_only() { ::fcntl(descriptor_, F_SETFL, O_APPEND); }

std::error_code OutputHandle::close() {
    if (descriptor_ < 0) return {};
    return ::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR ? output_error() : std::error_code{};
}

// SMB says EACCES if another one holds the lock.
bool OutputHandle::lock() { return ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EACCES); }

void OutputHandle::copy_permissions(const OutputHandle& from) {
    constexpr mode_t kPermissionBits = 0777;
    struct stat status {};
    if (::fstat(from.descriptor_, &status) != 0) return;
    give_to_owner_of(descriptor_, status);
    ::fchmod(descriptor_, status.st_mode & kPermissionBits);
}

std::optional<std::uint64_t> OutputHandle::size_bytes() const {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) return std::nullopt;
    return static_cast<std::uint64_t>(status.st_size);
}

std::error_code OutputHandle::read_at(std::uint64_t offset_bytes, std::span<std::byte> bytes, std::size_t& count) const {
    count = 0;
    while (count < bytes.size()) {
        const ssize_t size = ::pread(descriptor_, bytes.data() + count, bytes.size() - count, static_cast<off_t>(offset_bytes + count));
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return output_error();
        if (size == 0) break;
        count += static_cast<std::size_t>(size);
    }
    return {};
}

std::error_code OutputHandle::read_head(std::size_t bytes_max, std::string& head) const {
    head.assign(bytes_max, '\0');
    const ssize_t size = ::pread(descriptor_, head.data(), head.size(), 0);
    const std::error_code error = size < 0 ? output_error() : std::error_code{};
    head.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return error;
}

}  // namespace ums
