// A storage that passes everything on to another one: a test overrides only what it manipulates.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "ums/io/storage.hpp"

namespace sim::testing {

class StorageWrapper : public ums::Storage {
public:
    explicit StorageWrapper(ums::Storage& inner) : inner_(inner) {}

    std::error_code resolve(const std::string& path, std::string& resolved) override { return inner_.resolve(path, resolved); }
    std::error_code status(const std::string& path, ums::FileStatus& status) override { return inner_.status(path, status); }
    std::error_code status_of(ums::FileHandle file, ums::FileStatus& status) override { return inner_.status_of(file, status); }
    std::error_code open(const std::string& path, const ums::OpenOptions& options, ums::FileHandle& file) override {
        return inner_.open(path, options, file);
    }
    std::error_code reopen(ums::FileHandle file, const ums::OpenOptions& options, ums::FileHandle& again) override {
        return inner_.reopen(file, options, again);
    }
    void close(ums::FileHandle file) override { inner_.close(file); }
    std::error_code remove(ums::FileHandle file) override { return inner_.remove(file); }
    std::error_code check_removal(ums::FileHandle file) override { return inner_.check_removal(file); }
    std::error_code check_size(ums::FileHandle file, std::uint64_t size_bytes) override { return inner_.check_size(file, size_bytes); }
    bool can_open(std::uint32_t count) override { return inner_.can_open(count); }
    std::error_code lock(ums::FileHandle file) override { return inner_.lock(file); }
    std::error_code size(ums::FileHandle file, std::uint64_t& size_bytes) override { return inner_.size(file, size_bytes); }
    std::error_code allocate(ums::FileHandle file, std::uint64_t offset_bytes, std::uint64_t size_bytes) override {
        return inner_.allocate(file, offset_bytes, size_bytes);
    }
    std::error_code truncate(ums::FileHandle file, std::uint64_t size_bytes) override { return inner_.truncate(file, size_bytes); }
    std::error_code sync(ums::FileHandle file) override { return inner_.sync(file); }
    std::error_code read(ums::FileHandle file, std::uint64_t offset_bytes, std::byte* data, std::size_t size_bytes,
                         std::size_t& transferred_bytes) override {
        return inner_.read(file, offset_bytes, data, size_bytes, transferred_bytes);
    }
    std::error_code next_data(ums::FileHandle file, std::uint64_t offset_bytes, std::uint64_t& begin_bytes,
                              std::uint64_t& end_bytes) override {
        return inner_.next_data(file, offset_bytes, begin_bytes, end_bytes);
    }
    std::error_code free_space(const std::string& path, std::uint64_t& free_bytes) override { return inner_.free_space(path, free_bytes); }
    void drop_cache(ums::FileHandle file) override { inner_.drop_cache(file); }
    std::unique_ptr<ums::IoEngine> make_engine(const ums::EngineOptions& options, std::string& reason) override {
        return inner_.make_engine(options, reason);
    }

protected:
    ums::Storage& inner_;
};

}  // namespace sim::testing
