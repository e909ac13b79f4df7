// A large piece of anonymous memory, zeroed, page-aligned, which the system allocates as it is touched. For the buffer pool and the ledger.
#pragma once

#include <cstddef>
#include <utility>

namespace ums {

enum class MemoryKind {
    plain,
    huge_pages,  // asks for transparent huge pages: fewer and longer segments for the device; a refusal is no error
};

// Owns the memory. Movable. Throws std::bad_alloc if the address space is not available.
class MemoryRegion {
public:
    MemoryRegion() = default;
    MemoryRegion(std::size_t size_bytes, MemoryKind kind);
    MemoryRegion(MemoryRegion&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_bytes_(std::exchange(other.size_bytes_, 0)) {}
    MemoryRegion& operator=(MemoryRegion&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_bytes_, other.size_bytes_);
        return *this;
    }
    ~MemoryRegion();

    // Makes the system allocate the memory of [begin, begin + size_bytes) now instead of when it is touched. Parts that it refuses now are
    // allocated when they are touched.
    void populate(std::size_t begin_bytes, std::size_t size_bytes) const;

    [[nodiscard]] std::byte* data() const { return data_; }
    [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }

private:
    std::byte* data_ = nullptr;
    std::size_t size_bytes_ = 0;
};

}  // namespace ums
