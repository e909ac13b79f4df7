// Memory for direct I/O: zero, aligned to 4096 bytes; and bytes that are easy to recognize.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "ums/base/prng.hpp"

namespace ums::testing {

class Memory {
public:
    static constexpr std::size_t kAlignmentBytes = 4096;

    explicit Memory(std::size_t size_bytes)
        : data_(static_cast<std::byte*>(::operator new(size_bytes, std::align_val_t{kAlignmentBytes}))), size_bytes_(size_bytes) {
        std::memset(data_.get(), 0, size_bytes);
    }

    [[nodiscard]] std::byte* data() const { return data_.get(); }
    [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }

    void fill(std::uint64_t seed) const {
        Prng prng(seed);
        for (std::size_t i = 0; i < size_bytes_; ++i) data_.get()[i] = static_cast<std::byte>(prng.next());
    }
    [[nodiscard]] bool equals(const Memory& other) const {
        return size_bytes_ == other.size_bytes_ && std::memcmp(data(), other.data(), size_bytes_) == 0;
    }

private:
    struct Free {
        void operator()(std::byte* data) const { ::operator delete(data, std::align_val_t{kAlignmentBytes}); }
    };
    std::unique_ptr<std::byte, Free> data_;
    std::size_t size_bytes_;
};

}  // namespace ums::testing
