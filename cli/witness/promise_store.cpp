#include "cli/witness/promise_store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sim/errors.hpp"
#include "ums/io/errno_error.hpp"

namespace cli {

namespace {

std::error_code last_error() { return {errno, std::generic_category()}; }

// False at the end of the file, or where it cannot be read (then `error` is set).
bool read_exactly(int handle, std::uint64_t offset, std::span<std::byte> bytes, std::error_code& error) {
    while (!bytes.empty()) {
        const ssize_t count = ::pread(handle, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) error = last_error();
        if (count <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(count));
        offset += static_cast<std::uint64_t>(count);
    }
    return true;
}

std::error_code write_exactly(int handle, std::uint64_t offset, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::pwrite(handle, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return last_error();
        if (count == 0) return std::make_error_code(std::errc::no_space_on_device);
        bytes = bytes.subspan(static_cast<std::size_t>(count));
        offset += static_cast<std::uint64_t>(count);
    }
    return {};
}

std::error_code sync_folder_of(const std::filesystem::path& path) {
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    const int handle = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (handle < 0) return last_error();
    const std::error_code error = ::fsync(handle) == 0 ? std::error_code() : last_error();
    ::close(handle);
    return error;
}

// One of them is set.
struct ReadRecord {
    std::optional<sim::PromiseSection> section;
    std::optional<sim::PromiseBatch> batch;
};

// Hands out whole records from the begin on. Returns where they end.
std::uint64_t for_each_stored_record(int handle, std::error_code& error, const std::function<void(ReadRecord)>& take) {
    std::uint64_t at = 0;
    for (;;) {
        std::vector<std::byte> bytes(sizeof(sim::PromiseHeader));
        if (!read_exactly(handle, at, bytes, error)) return at;
        const std::optional<sim::PromiseHeader> header = sim::read_promise_header(bytes);
        if (!header) return at;
        bytes.resize(header->size_bytes);
        if (!read_exactly(handle, at, bytes, error)) return at;
        ReadRecord record{sim::decode_section(bytes), sim::decode_batch(bytes)};
        if (!record.section && !record.batch) return at;
        take(std::move(record));
        at += bytes.size();
    }
}

}  // namespace

PromiseStore::PromiseStore(std::filesystem::path path, Use use) : path_(std::move(path)) {
    try {
        open(use);
        find_end(use);
    } catch (...) {
        if (handle_ >= 0) ::close(handle_);
        throw;
    }
}

PromiseStore::~PromiseStore() { ::close(handle_); }

void PromiseStore::open(Use use) {
    const int flags = use == Use::read ? O_RDONLY : O_RDWR | O_CREAT;
    handle_ = ::open(path_.c_str(), flags | O_CLOEXEC, 0644);
    if (handle_ < 0) throw sim::EnvironmentError(fmt::format("{}: cannot be opened: {}", path_.string(), ums::error_text(last_error())));
    struct stat facts {};
    if (::fstat(handle_, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        throw sim::RefusedError(fmt::format("{}: refused: a ledger is an ordinary file.", path_.string()));
    }
    if (use == Use::write && ::flock(handle_, LOCK_EX | LOCK_NB) != 0) {
        throw sim::EnvironmentError(fmt::format("{}: another process keeps its promises there.", path_.string()));
    }
    if (use == Use::write) {
        const std::error_code error = sync_folder_of(path_);
        if (error) throw sim::EnvironmentError(fmt::format("{}: cannot be made durable: {}", path_.string(), ums::error_text(error)));
    }
}

// What cannot have been written by a store is somebody else's file. What a cut has left of the last record is of zeros, or of the record.
void PromiseStore::find_end(Use use) {
    std::error_code error;
    size_bytes_ = for_each_stored_record(handle_, error, [](ReadRecord /*record*/) {});
    if (error) throw sim::EnvironmentError(fmt::format("{}: cannot be read: {}", path_.string(), ums::error_text(error)));
    struct stat facts {};
    static_cast<void>(::fstat(handle_, &facts));
    const auto file_bytes = static_cast<std::uint64_t>(facts.st_size);
    if (file_bytes == size_bytes_) return;
    std::vector<std::byte> begin(std::min<std::uint64_t>(sizeof(std::uint32_t) * 2, file_bytes));
    const bool is_read = read_exactly(handle_, 0, begin, error);
    std::uint32_t magic = 0;
    if (is_read && begin.size() == 8) std::memcpy(&magic, begin.data() + 4, sizeof magic);
    const bool may_be_ours = size_bytes_ > 0 || (magic == sim::kPromiseMagic && file_bytes <= sim::kPromiseRecordBytesMax);
    if (!may_be_ours) throw sim::RefusedError(fmt::format("{}: refused: it is not a ledger of ioproof.", path_.string()));
    if (file_bytes - size_bytes_ > sim::kPromiseRecordBytesMax) {
        throw sim::RefusedError(
            fmt::format("{}: refused: damaged at byte {}: what follows is more than the one record that a cut may leave "
                        "unfinished.",
                        path_.string(), size_bytes_));
    }
    if (use == Use::read) return;
    if (::ftruncate(handle_, static_cast<off_t>(size_bytes_)) != 0 || ::fdatasync(handle_) != 0) {
        throw sim::EnvironmentError(
            fmt::format("{}: its unfinished end cannot be cut off: {}", path_.string(), ums::error_text(last_error())));
    }
}

sim::Promises PromiseStore::load() const {
    sim::Promises promises;
    std::error_code error;
    for_each_stored_record(handle_, error, [&promises](ReadRecord record) {
        if (record.section) return promises.begin(*record.section);
        // One of a section that is over was refused when it came, so there is none.
        static_cast<void>(promises.add(*record.batch));
    });
    if (error) throw sim::EnvironmentError(fmt::format("{}: cannot be read: {}", path_.string(), ums::error_text(error)));
    return promises;
}

std::error_code PromiseStore::append(std::span<const std::byte> records) {
    std::error_code error = write_exactly(handle_, size_bytes_, records);
    if (!error && ::fdatasync(handle_) != 0) error = last_error();
    if (error) {
        static_cast<void>(::ftruncate(handle_, static_cast<off_t>(size_bytes_)));
        return error;
    }
    size_bytes_ += records.size();
    return {};
}

std::error_code PromiseStore::compact() {
    const sim::Promises promises = load();
    const std::filesystem::path beside = path_.string() + ".ioproof-new";
    const int handle = ::open(beside.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (handle < 0) return last_error();
    std::error_code error;
    std::uint64_t size_bytes = 0;
    promises.for_each_record([&](std::span<const std::byte> record) {
        if (!error) error = write_exactly(handle, size_bytes, record);
        size_bytes += record.size();
    });
    if (!error && (::fdatasync(handle) != 0 || ::flock(handle, LOCK_EX | LOCK_NB) != 0)) error = last_error();
    if (!error && ::rename(beside.c_str(), path_.c_str()) != 0) error = last_error();
    if (error) {
        static_cast<void>(::unlink(beside.c_str()));
        ::close(handle);
        return error;
    }
    ::close(handle_);
    handle_ = handle;
    size_bytes_ = compact_bytes_ = size_bytes;
    return sync_folder_of(path_);
}

bool are_on_one_file_system(const std::filesystem::path& a, const std::filesystem::path& b) {
    const auto device_of = [](const std::filesystem::path& path) -> std::optional<dev_t> {
        struct stat facts {};
        if (::stat(path.c_str(), &facts) == 0) return S_ISBLK(facts.st_mode) ? facts.st_rdev : facts.st_dev;
        const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
        if (::stat(folder.c_str(), &facts) == 0) return facts.st_dev;
        return std::nullopt;
    };
    const std::optional<dev_t> first = device_of(a);
    return first && first == device_of(b);
}

}  // namespace cli
