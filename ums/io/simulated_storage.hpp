// A storage in memory, for virtual time: sparse files, and engines ("simulated") whose requests take as long as a model of a disk says.
// With a VirtualClock everything runs on one thread, so nothing here is locked: one thread per storage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "ums/base/clock.hpp"
#include "ums/io/storage.hpp"

namespace ums {

// How long a request takes in nanoseconds; `outstanding`: how many requests the storage has, this one included. `request.submitted_ns` is
// now.
using DiskModel = std::function<std::uint64_t(const IoRequest& request, std::uint32_t outstanding)>;

// A solid-state disk of eight channels: requests queue for a channel and overtake each other; most take about 0.1 ms, one in a hundred ten
// times as long, and one in a thousand a hundred times as long. All of it follows from the seed.
[[nodiscard]] DiskModel simulated_disk(std::uint64_t seed);

// Unwritten space is a hole and reads as zeros.
class SimulatedFile {
public:
    static constexpr std::uint64_t kChunkBytes = 8192;

    explicit SimulatedFile(std::uint64_t inode) : inode_(inode) {}

    [[nodiscard]] std::uint64_t inode() const { return inode_; }
    [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }
    [[nodiscard]] std::uint64_t stored_bytes() const { return chunks_.size() * kChunkBytes; }
    void resize(std::uint64_t size_bytes);
    // Within the size.
    void read(std::uint64_t offset_bytes, std::byte* data, std::uint64_t size_bytes) const;
    // Extends the file where needed.
    void write(std::uint64_t offset_bytes, const std::byte* data, std::uint64_t size_bytes);
    // The chunk at `offset_bytes`, created if it was a hole.
    std::byte* chunk(std::uint64_t offset_bytes);
    // See Storage::next_data().
    void next_data(std::uint64_t offset_bytes, std::uint64_t& begin_bytes, std::uint64_t& end_bytes) const;
    // The old contents of space that a file system gives the file without zeroing it. Called when a file that is not empty grows. Without
    // it such space is a hole.
    using NewSpace = std::function<void(SimulatedFile& file, std::uint64_t begin_bytes, std::uint64_t end_bytes)>;
    void set_new_space(NewSpace new_space) { new_space_ = std::move(new_space); }
    // The same size and contents, not locked.
    [[nodiscard]] std::unique_ptr<SimulatedFile> copy() const;

    bool locked = false;

private:
    using Chunk = std::unique_ptr<std::byte[]>;

    const std::uint64_t inode_;
    std::map<std::uint64_t, Chunk> chunks_;
    std::uint64_t size_bytes_ = 0;
    NewSpace new_space_;
};

class SimulatedStorage final : public Storage {
public:
    // `clock` must be virtual and outlive the storage.
    SimulatedStorage(const Clock& clock, DiskModel model) : clock_(clock), model_(std::move(model)) {}

    std::error_code resolve(const std::string& path, std::string& resolved) override;
    std::error_code status(const std::string& path, FileStatus& status) override;
    std::error_code status_of(FileHandle file, FileStatus& status) override;
    std::error_code open(const std::string& path, const OpenOptions& options, FileHandle& file) override;
    std::error_code reopen(FileHandle file, const OpenOptions& options, FileHandle& again) override;
    void close(FileHandle file) override;
    std::error_code remove(FileHandle file) override;
    std::error_code check_removal(FileHandle) override { return {}; }
    std::error_code check_size(FileHandle, std::uint64_t) override { return {}; }
    std::error_code lock(FileHandle file) override;
    std::error_code size(FileHandle file, std::uint64_t& size_bytes) override;
    // `no_space_on_device` beyond the capacity.
    std::error_code allocate(FileHandle file, std::uint64_t offset_bytes, std::uint64_t size_bytes) override;
    std::error_code truncate(FileHandle file, std::uint64_t size_bytes) override;
    std::error_code sync(FileHandle) override { return {}; }
    std::error_code read(FileHandle file, std::uint64_t offset_bytes, std::byte* data, std::size_t size_bytes,
                         std::size_t& transferred_bytes) override;
    std::error_code next_data(FileHandle file, std::uint64_t offset_bytes, std::uint64_t& begin_bytes, std::uint64_t& end_bytes) override;
    std::error_code free_space(const std::string& path, std::uint64_t& free_bytes) override;
    std::error_code drop_cache(FileHandle) override { return {}; }
    std::unique_ptr<IoEngine> make_engine(const EngineOptions& options, std::string& reason) override;

    // The file with this name, or null.
    [[nodiscard]] SimulatedFile* find(const std::string& path);
    [[nodiscard]] const std::map<std::string, std::shared_ptr<SimulatedFile>>& files() const { return files_; }
    // Gives the file this name, in place of any other file.
    void put(const std::string& path, std::unique_ptr<SimulatedFile> file);
    [[nodiscard]] std::size_t file_count() const { return files_.size(); }
    [[nodiscard]] std::uint32_t open_count() const { return open_count_; }
    // How many bytes all files together may hold.
    void set_capacity(std::uint64_t bytes) { capacity_bytes_ = bytes; }
    void set_model(DiskModel model) { model_ = std::move(model); }

private:
    class Engine;
    struct OpenFile {
        std::shared_ptr<SimulatedFile> file;
        std::string path;  // empty if it was opened a second time
        bool holds_lock = false;
    };

    FileHandle add_open(std::shared_ptr<SimulatedFile> file, std::string path);
    SimulatedFile& file_of(FileHandle handle) { return *open_.at(static_cast<std::size_t>(handle.value)).file; }
    [[nodiscard]] std::uint64_t used_bytes() const;
    void perform(IoRequest& request);
    void transfer(IoRequest& request);

    const Clock& clock_;
    DiskModel model_;
    std::map<std::string, std::shared_ptr<SimulatedFile>> files_;
    std::vector<OpenFile> open_;
    std::uint64_t last_inode_ = 0;
    std::uint32_t open_count_ = 0;
    std::uint32_t outstanding_ = 0;
    std::uint64_t capacity_bytes_ = ~std::uint64_t{0} / 2;
};

}  // namespace ums
