// Tests in a folder what a database file will need: direct I/O, preallocated space, extents, and how long a write takes that must survive a
// power cut. Works on its own temporary file, whose name is removed before the constructor returns, so that nothing is ever left behind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <system_error>

#include "ums/base/clock.hpp"
#include "ums/base/memory_region.hpp"

namespace ums {

// Latencies of writes of 4 KB, issued one at a time.
struct WriteTimes {
    std::uint64_t count = 0;  // 0 = not measured: the first write failed
    std::uint64_t mean_ns = 0;
    std::uint64_t min_ns = 0;
    std::uint64_t max_ns = 0;
    std::error_code error{};  // of the write that failed, and was the last one
};

// One thread; every call blocks until the storage has answered.
class WriteProbe {
public:
    // Creates the file (`size_bytes`, whole MB) in `folder`, reserves its space and fills it, so that the measured writes only overwrite.
    // Throws std::system_error if no file can be created or filled (missing or read-only folder, no space).
    WriteProbe(const std::string& folder, std::uint64_t size_bytes, const Clock& clock);
    ~WriteProbe();
    WriteProbe(const WriteProbe&) = delete;
    WriteProbe& operator=(const WriteProbe&) = delete;

    // Why O_DIRECT (to open the file, to write and to read it) or fallocate() did not work; no error = it did. Without O_DIRECT everything
    // goes through the system's cache.
    [[nodiscard]] const std::error_code& direct_error() const { return direct_error_; }
    [[nodiscard]] const std::error_code& reserve_error() const { return reserve_error_; }
    // By FIEMAP; nothing if the file system does not report it.
    [[nodiscard]] std::optional<std::uint64_t> extent_count() const;

    // Each writes until `limit_ns` is over or `count_max` writes are done, but at least once.
    [[nodiscard]] WriteTimes plain_writes(std::uint64_t limit_ns, std::uint64_t count_max);   // not durable
    [[nodiscard]] WriteTimes dsync_writes(std::uint64_t limit_ns, std::uint64_t count_max);   // RWF_DSYNC, as with O_DSYNC
    [[nodiscard]] WriteTimes synced_writes(std::uint64_t limit_ns, std::uint64_t count_max);  // each followed by fdatasync()

private:
    enum class Promise : std::uint8_t { none, dsync, fdatasync };

    void fill();
    void try_direct_read();
    void close() const;
    // Of the transfers and syncs.
    [[nodiscard]] int transfer_fd() const { return direct_error_ ? fd_ : direct_fd_; }
    // Zero or a negative errno value.
    [[nodiscard]] int write_once(Promise promise, std::uint64_t offset_bytes) const;
    [[nodiscard]] WriteTimes measure(Promise promise, std::uint64_t limit_ns, std::uint64_t count_max);

    const Clock& clock_;
    const std::uint64_t size_bytes_;
    int fd_ = -1;         // through the system's cache
    int direct_fd_ = -1;  // the same file with O_DIRECT, if it can be opened so
    MemoryRegion memory_;
    std::error_code direct_error_;
    std::error_code reserve_error_;
};

}  // namespace ums
