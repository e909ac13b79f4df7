// The interface to the operating system's files: names, opening, locking, and the engines that transfer data. Every call that can fail
// returns a std::error_code; none throws for an error of the system. All members may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "ums/io/file_handle.hpp"
#include "ums/io/io_engine.hpp"

namespace ums {

enum class FileKind : std::uint8_t { missing, regular, directory, block_device, link, other };

struct FileStatus {
    FileKind kind = FileKind::missing;
    std::uint64_t size_bytes = 0;
    std::uint64_t freed_by_removal_bytes = 0;  // 0 if the file has other names
    // Two names with equal identities are the same file.
    std::uint64_t device_id = 0;
    std::uint64_t inode = 0;
    // Folders only: those with equal ids share their free space.
    std::uint64_t file_system_id = 0;
    // Links only: where it leads, and whether anything is there.
    std::string link_target{};
    bool is_dangling = false;

    [[nodiscard]] bool is_same_file(const FileStatus& other) const { return device_id == other.device_id && inode == other.inode; }
};

// How the transfers of a file are made.
enum class FileView : std::uint8_t {
    none,           // by reads and writes
    mapped,         // by copies to and from a view of the file in memory. A write reaches the storage when the system chooses
    synced,         // the same, and each write is on stable storage when it completes (msync)
    lines_written,  // the same, and the cache lines of each write have left the CPU: for files that are persistent memory
    lines_started,  // the same, but they may still be on their way
};

struct OpenOptions {
    bool create_new = false;  // fails with file_exists if there is one
    // With create_new: what the file holds from the moment it has its name, so that whoever is killed leaves no file without it. Not where
    // the file system cannot create files without a name (NFS, many FUSE file systems): there the file is empty at first. Not durable: the
    // caller writes it again.
    std::span<const std::byte> first_bytes{};
    bool direct = false;          // O_DIRECT: fails with invalid_argument where the file system refuses it
    bool durable_writes = false;  // O_DSYNC
    bool read_only = false;
    bool exclusive = false;  // block devices only: fails with device_or_resource_busy if it is mounted or part of something else
    // Covers the file at its current size. Not together with `direct`: invalid_argument. reopen() only.
    FileView view = FileView::none;
};

enum class EngineKind : std::uint8_t {
    automatic,
    uring,
    threads,
    null,  // transfers nothing; never chosen automatically
};

struct EngineOptions {
    EngineKind kind = EngineKind::automatic;
    std::uint32_t queue_depth = 1024;  // requests that the engine hands to the kernel at a time; more are queued
    std::uint64_t io_affinity = 0;     // CPUs for the engine's own threads, one bit each; 0 = all
    bool has_views = false;            // it must also accept files that were opened with a FileView
    // CPUs for the engine's own threads, but not for the kernel's; none = those of io_affinity.
    std::vector<std::uint32_t> thread_cpus{};
};

class Storage {
public:
    virtual ~Storage() = default;

    // The name by which to use the file that `path` names: symbolic links among its folders are followed; a link at its end only if it
    // leads to a block device. `path` itself if there are none. The folder must exist, the file need not.
    virtual std::error_code resolve(const std::string& path, std::string& resolved) = 0;
    // A symbolic link is not followed. A missing file is no error.
    virtual std::error_code status(const std::string& path, FileStatus& status) = 0;
    virtual std::error_code status_of(FileHandle file, FileStatus& status) = 0;
    // A symbolic link is not followed: too_many_symbolic_link_levels.
    virtual std::error_code open(const std::string& path, const OpenOptions& options, FileHandle& file) = 0;
    // Opens the same file again, even if its name now refers to another one. Never creates a file.
    virtual std::error_code reopen(FileHandle file, const OpenOptions& options, FileHandle& again) = 0;
    virtual void close(FileHandle file) = 0;
    // Removes the name by which open() found or made the file, which stays open. If the name now refers to another file, that one is left
    // alone: no_such_file_or_directory.
    virtual std::error_code remove(FileHandle file) = 0;
    // What would make remove() fail, as far as that can be known beforehand.
    virtual std::error_code check_removal(FileHandle file) = 0;
    // `file_too_large` if the file system, or a limit of the process, does not allow files of this size.
    virtual std::error_code check_size(FileHandle file, std::uint64_t size_bytes) = 0;
    // False if the process may not have this many more files open at the same time. Finds out by trying, so other threads may be refused a
    // file meanwhile.
    [[nodiscard]] virtual bool can_open(std::uint32_t count) {
        static_cast<void>(count);
        return true;
    }

    // Locks the entire file for this process's handle, without waiting; `resource_unavailable_try_again` if another one holds the lock
    // (`permission_denied` on SMB). Held until close(). Several handles that are open for reading only may hold it together (NFS).
    virtual std::error_code lock(FileHandle file) = 0;
    // Keeps lock() away from the file, but not others that share it; otherwise like lock(). A storage may have nothing but lock().
    virtual std::error_code lock_shared(FileHandle file) { return lock(file); }
    // Releases the lock before the file is closed.
    virtual void unlock(FileHandle file) { static_cast<void>(file); }
    virtual std::error_code size(FileHandle file, std::uint64_t& size_bytes) = 0;
    // Blocking counterparts of the engine's operations, for opening and creating files.
    virtual std::error_code allocate(FileHandle file, std::uint64_t offset_bytes, std::uint64_t size_bytes) = 0;
    virtual std::error_code truncate(FileHandle file, std::uint64_t size_bytes) = 0;
    virtual std::error_code sync(FileHandle file) = 0;
    // Makes the name durable by which open() created the file: a sync of the file need not do that. No error where the system cannot sync
    // folders, or this one may not be read.
    virtual std::error_code sync_name(FileHandle file) {
        static_cast<void>(file);
        return {};
    }
    // Blocking; `data` aligned for direct I/O. `transferred_bytes` < `size_bytes` only at the end of the file.
    virtual std::error_code read(FileHandle file, std::uint64_t offset_bytes, std::byte* data, std::size_t size_bytes,
                                 std::size_t& transferred_bytes) = 0;
    // The next range that is not a hole, from `offset_bytes` on; {size, size} if there is none. A system without holes reports everything
    // as data.
    virtual std::error_code next_data(FileHandle file, std::uint64_t offset_bytes, std::uint64_t& begin_bytes,
                                      std::uint64_t& end_bytes) = 0;
    // Bytes that can still be written to the file system that holds `path`; operation_not_supported if it does not count them.
    virtual std::error_code free_space(const std::string& path, std::uint64_t& free_bytes) = 0;
    // Makes the system forget cached pages of the file, as far as it can. What has not been written yet is written first: returns the error
    // of that, which the system may tell nobody else.
    virtual std::error_code drop_cache(FileHandle file) = 0;

    // One engine for one scheduler. `reason` gets one line for people if the automatic choice had to fall back; otherwise it stays empty.
    // Throws std::system_error with such a line if the requested kind is not available.
    virtual std::unique_ptr<IoEngine> make_engine(const EngineOptions& options, std::string& reason) = 0;
};

}  // namespace ums
