// Aligned memory for page images.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "sim/page/page_codec.hpp"

namespace sim::testing {

// A page as any other.
inline constexpr PageIdentity kSampleIdentity{.run_id = 0xfeed'0000'beef'0001,
                                              .file_id = 2,
                                              .page_id = 300,
                                              .version = 7,
                                              .lsn = 0x0000'0003'0000'4005,
                                              .write_utc_us = 1'700'000'123'456'789};

class PageBuffer {
public:
    explicit PageBuffer(std::size_t pages = 1) : words_(std::make_unique<std::uint64_t[]>(pages * kPageBytes / 8)), pages_(pages) {}
    explicit PageBuffer(const PageIdentity& identity) : PageBuffer() { make_page(identity, data()); }
    PageBuffer(const PageBuffer& other) : PageBuffer(other.pages_) { std::memcpy(data(), other.data(), pages_ * kPageBytes); }
    PageBuffer& operator=(const PageBuffer&) = delete;

    [[nodiscard]] std::byte* data() const { return reinterpret_cast<std::byte*>(words_.get()); }
    [[nodiscard]] std::byte& operator[](std::size_t offset) const { return data()[offset]; }
    [[nodiscard]] std::uint64_t word(std::size_t index) const { return words_[index]; }

private:
    std::unique_ptr<std::uint64_t[]> words_;
    std::size_t pages_;
};

}  // namespace sim::testing
