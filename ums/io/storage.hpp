// The door to the operating system for files: names, opening, locking, and the engines that transfer data. Every call that can fail
// returns a std::error_code; none throws for what the system says. All members may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>

#include "ums/io/file_handle.hpp"
#include "ums/io/io_engine.hpp"

namespace ums {

enum class FileKind : std::uint8_t { missing, regular, directory, block_device, other };

struct FileStatus {
    FileKind kind = FileKind::missing;
    std::uint64_t size_bytes = 0;
    // Two names with equal identities are the same file.
    std::uint64_t device_id = 0;
    std::uint64_t inode = 0;
};

struct OpenOptions {
    bool create_new = false;      // fails with file_exists if there is one
    bool direct = false;          // O_DIRECT: fails with invalid_argument where the file system refuses it
    bool durable_writes = false;  // O_DSYNC
    bool read_only = false;
    bool exclusive = false;  // block devices only: fails with device_or_resource_busy if it is mounted or part of something else
};

enum class EngineKind : std::uint8_t {
    automatic,
    uring,
    threads,
    null,  // transfers nothing; never chosen automatically
};

struct EngineOptions {
    EngineKind kind = EngineKind::automatic;
    std::uint32_t queue_depth = 1024;  // requests the engine hands to the kernel at a time; more are queued above it
    std::uint64_t io_affinity = 0;     // CPUs for the engine's own threads, one bit each; 0 = all
};

class Storage {
public:
    virtual ~Storage() = default;

    // Follows symbolic links. A missing file is no error.
    virtual std::error_code status(const std::string& path, FileStatus& status) = 0;
    virtual std::error_code open(const std::string& path, const OpenOptions& options, FileHandle& file) = 0;
    virtual void close(FileHandle file) = 0;
    // Removes the name. No error if there is none.
    virtual std::error_code remove(const std::string& path) = 0;

    // Takes the whole file for this process's handle, without waiting; `resource_unavailable_try_again` if somebody has it. Held
    // until close().
    virtual std::error_code lock(FileHandle file) = 0;
    virtual std::error_code size(FileHandle file, std::uint64_t& size_bytes) = 0;
    // Blocking counterparts of the engine's operations, for opening and creating files.
    virtual std::error_code allocate(FileHandle file, std::uint64_t offset_bytes, std::uint64_t size_bytes) = 0;
    virtual std::error_code truncate(FileHandle file, std::uint64_t size_bytes) = 0;
    virtual std::error_code sync(FileHandle file) = 0;
    // Blocking; `data` aligned for direct I/O. `transferred_bytes` < `size_bytes` only at the end of the file.
    virtual std::error_code read(FileHandle file, std::uint64_t offset_bytes, std::byte* data, std::size_t size_bytes,
                                 std::size_t& transferred_bytes) = 0;
    // The next range that is not a hole, from `offset_bytes` on; {size, size} if there is none. Systems without holes give all.
    virtual std::error_code next_data(FileHandle file, std::uint64_t offset_bytes, std::uint64_t& begin_bytes,
                                      std::uint64_t& end_bytes) = 0;
    // Bytes that can still be written to the file system that holds `path`.
    virtual std::error_code free_space(const std::string& path, std::uint64_t& free_bytes) = 0;
    // Makes the system forget cached pages of the file, as far as it can.
    virtual void drop_cache(FileHandle file) = 0;

    // One engine for one scheduler. `reason` gets one line for people when an automatic choice fell back, else stays empty. Throws
    // std::system_error with such a line if the kind that was asked for cannot be had.
    virtual std::unique_ptr<IoEngine> make_engine(const EngineOptions& options, std::string& reason) = 0;
};

}  // namespace ums
