// A page as it came back: in place, or a copy separate from the frame into which it was read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "sim/page/page_layout.hpp"

namespace sim {

struct ReadPage {
    std::uint32_t page = 0;
    const std::byte* image = nullptr;  // kPageBytes
};

class PageImage {
public:
    PageImage() = default;  // none
    // Copies kPageBytes.
    explicit PageImage(const std::byte* bytes) : words_(std::make_unique<std::uint64_t[]>(kPageBytes / sizeof(std::uint64_t))) {
        std::memcpy(words_.get(), bytes, kPageBytes);
    }

    // 8-aligned; null if there is none.
    [[nodiscard]] const std::byte* bytes() const { return reinterpret_cast<const std::byte*>(words_.get()); }
    [[nodiscard]] bool is_none() const { return words_ == nullptr; }

private:
    std::unique_ptr<std::uint64_t[]> words_;
};

}  // namespace sim
