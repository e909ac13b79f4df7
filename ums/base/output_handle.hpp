// An open file that a program writes besides its test files: results, logs, evidence. Test files are ums/io's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace ums {

struct OutputStatus;

// Owns what is open, if anything is. One call at a time; any thread. Errors are the system's, of the generic category.
class OutputHandle {
public:
    OutputHandle() = default;
    // Takes over an open descriptor; below 0: nothing is open.
    explicit OutputHandle(int descriptor) : descriptor_(descriptor) {}
    OutputHandle(OutputHandle&& other) noexcept;
    OutputHandle& operator=(OutputHandle&& other) noexcept;
    ~OutputHandle();

    [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }

    // Writes all of `bytes`, in one system call if the system accepts that. After an error a part of them may have been written.
    std::error_code write(std::string_view bytes);
    // The same at a given offset.
    std::error_code write_at(std::uint64_t offset_bytes, std::string_view bytes);
    std::error_code truncate(std::uint64_t size_bytes);
    // Makes `bytes` all that the file holds. If the file system has no room for more than it held, that stays; after any other error, the
    // file is empty.
    std::error_code overwrite(std::string_view bytes);
    // Brings contents and size to stable storage: fdatasync().
    std::error_code sync();
    // From now on write() appends, wherever the end is by then.
    void append_only();
    // Reports whether deferred writes succeeded. Whatever the result, nothing is open afterwards.
    std::error_code close();

    // Locks the file against other processes until it is closed here. False if another one holds the lock. True if the file system has no
    // locks, since then there is nothing to check.
    bool lock();
    // Gives this file the permissions of `from`, and its owner and group as far as this process may; changes nothing if they cannot be
    // read.
    void copy_permissions(const OutputHandle& from);

    // Nothing if the system does not say.
    [[nodiscard]] std::optional<std::uint64_t> size_bytes() const;
    // Fills `bytes`, or as much of it as the file has from there on: `count`.
    std::error_code read_at(std::uint64_t offset_bytes, std::span<std::byte> bytes, std::size_t& count) const;
    // Reads the first `bytes_max` bytes, or as many as there are.
    std::error_code read_head(std::size_t bytes_max, std::string& head) const;

private:
    friend class ChildProcess;
    friend class PipeReader;
    friend class PipeWriter;
    friend std::error_code sync_folder_of(const std::string& path);
    friend std::error_code read_output_status(const OutputHandle& output, OutputStatus& status);
    friend std::error_code open_output_stream(const std::string& path, const OutputStatus& status, OutputHandle& output);

    int descriptor_ = -1;
};

}  // namespace ums
