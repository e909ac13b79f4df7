// A storage in memory, for virtual time: files of pages, and engines whose requests come back when a model of a disk says so. With a
// VirtualClock everything runs on one thread, so nothing here is locked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ums/base/clock.hpp"
#include "ums/base/prng.hpp"
#include "ums/io/storage.hpp"

namespace sim::test {

// How long a request takes; `outstanding`: requests the storage has, this one included.
using DiskModel = std::function<std::uint64_t(const ums::IoRequest& request, std::uint32_t outstanding)>;

// Every request takes between `min_us` and `max_us`, as the seed says.
DiskModel random_disk(std::uint64_t seed, std::uint64_t min_us, std::uint64_t max_us);

class MemoryFile {
public:
    static constexpr std::uint64_t kChunkBytes = 8192;

    [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }
    [[nodiscard]] std::uint64_t stored_bytes() const { return chunks_.size() * kChunkBytes; }
    void resize(std::uint64_t size_bytes);
    void read(std::uint64_t offset_bytes, std::byte* data, std::uint64_t size_bytes) const;
    void write(std::uint64_t offset_bytes, const std::byte* data, std::uint64_t size_bytes);
    // The chunk at `offset_bytes`, made if it was a hole.
    std::byte* chunk(std::uint64_t offset_bytes);
    [[nodiscard]] bool has_chunk(std::uint64_t offset_bytes) const { return chunks_.count(offset_bytes / kChunkBytes) != 0; }

    bool locked = false;

private:
    using Chunk = std::unique_ptr<std::byte[]>;
    std::map<std::uint64_t, Chunk> chunks_;
    std::uint64_t size_bytes_ = 0;
};

class MemoryStorage final : public ums::Storage {
public:
    MemoryStorage(const ums::Clock& clock, DiskModel model) : clock_(clock), model_(std::move(model)) {}

    std::error_code status(const std::string& path, ums::FileStatus& status) override;
    std::error_code open(const std::string& path, const ums::OpenOptions& options, ums::FileHandle& file) override;
    void close(ums::FileHandle file) override;
    std::error_code remove(const std::string& path) override;
    std::error_code lock(ums::FileHandle file) override;
    std::error_code size(ums::FileHandle file, std::uint64_t& size_bytes) override;
    std::error_code allocate(ums::FileHandle file, std::uint64_t offset_bytes, std::uint64_t size_bytes) override;
    std::error_code truncate(ums::FileHandle file, std::uint64_t size_bytes) override;
    std::error_code sync(ums::FileHandle) override { return {}; }
    std::error_code read(ums::FileHandle file, std::uint64_t offset_bytes, std::byte* data, std::size_t size_bytes,
                         std::size_t& transferred_bytes) override;
    std::error_code next_data(ums::FileHandle file, std::uint64_t offset_bytes, std::uint64_t& begin_bytes,
                              std::uint64_t& end_bytes) override;
    std::error_code free_space(const std::string& path, std::uint64_t& free_bytes) override;
    void drop_cache(ums::FileHandle) override {}
    std::unique_ptr<ums::IoEngine> make_engine(const ums::EngineOptions& options, std::string& reason) override;

    // The file with this name, or null.
    [[nodiscard]] MemoryFile* find(const std::string& path);
    [[nodiscard]] std::size_t file_count() const { return files_.size(); }
    [[nodiscard]] std::uint32_t open_count() const { return open_count_; }
    // Files may hold so many bytes together.
    void set_capacity(std::uint64_t bytes) { capacity_bytes_ = bytes; }
    void set_model(DiskModel model) { model_ = std::move(model); }

private:
    class Engine;
    struct OpenFile {
        std::shared_ptr<MemoryFile> file;
        bool holds_lock = false;
    };

    MemoryFile& file_of(ums::FileHandle handle) { return *open_.at(static_cast<std::size_t>(handle.value)).file; }
    [[nodiscard]] std::uint64_t used_bytes() const;
    void perform(ums::IoRequest& request);

    const ums::Clock& clock_;
    DiskModel model_;
    std::map<std::string, std::shared_ptr<MemoryFile>> files_;
    std::vector<OpenFile> open_;
    std::uint32_t open_count_ = 0;
    std::uint32_t outstanding_ = 0;
    std::uint64_t capacity_bytes_ = ~std::uint64_t{0} / 2;
};

}  // namespace sim::test
