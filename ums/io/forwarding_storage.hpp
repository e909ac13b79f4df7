// A storage that forwards every call to another one: to change a few of them, derive from it and override those.
#pragma once

#include <memory>
#include <string>
#include <system_error>

#include "ums/io/storage.hpp"

namespace ums {

class ForwardingStorage : public Storage {
public:
    // `inner` must outlive this storage.
    explicit ForwardingStorage(Storage& inner) : inner_(inner) {}

    std::error_code resolve(const std::string& path, std::string& resolved) override { return inner_.resolve(path, resolved); }
    std::error_code status(const std::string& path, FileStatus& status) override { return inner_.status(path, status); }
    std::error_code status_of(FileHandle file, FileStatus& status) override { return inner_.status_of(file, status); }
    std::error_code open(const std::string& path, const OpenOptions& options, FileHandle& file) override {
        return inner_.open(path, options, file);
    }
    std::error_code reopen(FileHandle file, const OpenOptions& options, FileHandle& again) override {
        return inner_.reopen(file, options, again);
    }
    void close(FileHandle file) override { inner_.close(file); }
    std::error_code remove(FileHandle file) override { return inner_.remove(file); }
    std::error_code check_removal(FileHandle file) override { return inner_.check_removal(file); }
    std::error_code check_size(FileHandle file, std::uint64_t size_bytes) override { return inner_.check_size(file, size_bytes); }
    bool can_open(std::uint32_t count) override { return inner_.can_open(count); }
    std::error_code lock(FileHandle file) override { return inner_.lock(file); }
    std::error_code lock_shared(FileHandle file) override { return inner_.lock_shared(file); }
    void unlock(FileHandle file) override { inner_.unlock(file); }
    std::error_code size(FileHandle file, std::uint64_t& size_bytes) override { return inner_.size(file, size_bytes); }
    std::error_code allocate(FileHandle file, std::uint64_t offset_bytes, std::uint64_t size_bytes) override {
        return inner_.allocate(file, offset_bytes, size_bytes);
    }
    std::error_code truncate(FileHandle file, std::uint64_t size_bytes) override { return inner_.truncate(file, size_bytes); }
    std::error_code sync(FileHandle file) override { return inner_.sync(file); }
    std::error_code sync_name(FileHandle file) override { return inner_.sync_name(file); }
    std::error_code read(FileHandle file, std::uint64_t offset_bytes, std::byte* data, std::size_t size_bytes,
                         std::size_t& transferred_bytes) override {
        return inner_.read(file, offset_bytes, data, size_bytes, transferred_bytes);
    }
    std::error_code next_data(FileHandle file, std::uint64_t offset_bytes, std::uint64_t& begin_bytes, std::uint64_t& end_bytes) override {
        return inner_.next_data(file, offset_bytes, begin_bytes, end_bytes);
    }
    std::error_code free_space(const std::string& path, std::uint64_t& free_bytes) override { return inner_.free_space(path, free_bytes); }
    std::error_code drop_cache(FileHandle file) override { return inner_.drop_cache(file); }
    std::unique_ptr<IoEngine> make_engine(const EngineOptions& options, std::string& reason) override {
        return inner_.make_engine(options, reason);
    }

protected:
    [[nodiscard]] Storage& inner() const { return inner_; }

private:
    Storage& inner_;
};

}  // namespace ums
