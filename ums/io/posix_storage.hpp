// Real files of a POSIX system (Linux).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <system_error>

#include "ums/base/open_files.hpp"
#include "ums/io/held_name.hpp"
#include "ums/io/storage.hpp"
#include "ums/io/uring_probe.hpp"

namespace ums {

// Errors are errno values in std::system_category(); their message() is fit for people.
class PosixStorage final : public Storage {
public:
    // `descriptor_folder`: where the system shows the open files of the process.
    explicit PosixStorage(std::string descriptor_folder = "/proc/self/fd");
    ~PosixStorage() override;

    std::error_code resolve(const std::string& path, std::string& resolved) override;
    std::error_code status(const std::string& path, FileStatus& status) override;
    std::error_code status_of(FileHandle file, FileStatus& status) override;
    // If a new file cannot be opened as required (O_DIRECT refused), no file is left behind.
    std::error_code open(const std::string& path, const OpenOptions& options, FileHandle& file) override;
    std::error_code reopen(FileHandle file, const OpenOptions& options, FileHandle& again) override;
    void close(FileHandle file) override;
    std::error_code remove(FileHandle file) override;
    std::error_code check_removal(FileHandle file) override;
    std::error_code check_size(FileHandle file, std::uint64_t size_bytes) override;
    bool can_open(std::uint32_t count) override { return can_open_files(count); }

    std::error_code lock(FileHandle file) override;
    std::error_code lock_shared(FileHandle file) override;
    void unlock(FileHandle file) override;
    std::error_code size(FileHandle file, std::uint64_t& size_bytes) override;
    // `operation_not_supported` if the file system cannot reserve space; writing zeros is no substitute.
    std::error_code allocate(FileHandle file, std::uint64_t offset_bytes, std::uint64_t size_bytes) override;
    std::error_code truncate(FileHandle file, std::uint64_t size_bytes) override;
    std::error_code sync(FileHandle file) override;
    std::error_code sync_name(FileHandle file) override;
    std::error_code read(FileHandle file, std::uint64_t offset_bytes, std::byte* data, std::size_t size_bytes,
                         std::size_t& transferred_bytes) override;
    std::error_code next_data(FileHandle file, std::uint64_t offset_bytes, std::uint64_t& begin_bytes, std::uint64_t& end_bytes) override;
    // `path` may be a file that does not exist yet in a folder that does.
    std::error_code free_space(const std::string& path, std::uint64_t& free_bytes) override;
    // Dirty pages cannot be dropped: the file is synced first.
    std::error_code drop_cache(FileHandle file) override;

    std::unique_ptr<IoEngine> make_engine(const EngineOptions& options, std::string& reason) override;

private:
    const UringSupport& uring_support();
    [[nodiscard]] std::error_code add_view(FileHandle& file, const OpenOptions& options);
    std::unique_ptr<IoEngine> make_plain_engine(const EngineOptions& options, std::string& reason);
    [[nodiscard]] int create(const HeldName& name, const OpenOptions& options) const;
    [[nodiscard]] int create_filled(const HeldName& name, std::span<const std::byte> bytes) const;
    [[nodiscard]] std::string shown_as(int fd) const;
    [[nodiscard]] std::shared_ptr<const HeldName> name_of(FileHandle file) const;

    const std::string descriptor_folder_;
    mutable std::mutex mutex_;                                       // guards the tables, and uring_support_ until it is set
    std::map<std::int32_t, std::shared_ptr<const HeldName>> names_;  // of what open() opened
    std::map<std::int32_t, std::unique_ptr<FileMapping>> mappings_;  // of what reopen() opened with a view
    std::optional<UringSupport> uring_support_;
};

}  // namespace ums
