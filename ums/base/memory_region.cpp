#include "ums/base/memory_region.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <new>

#include "ums/base/assert.hpp"
#include "ums/base/memory_reserve.hpp"

namespace ums {

namespace {
constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;
}

MemoryRegion::MemoryRegion(std::size_t size_bytes, MemoryKind kind) {
    if (size_bytes == 0) return;
    // Over-allocated and trimmed, so that the region begins on a huge page.
    const std::size_t alignment = kind == MemoryKind::huge_pages ? kHugePageBytes : 0;
    const std::size_t rounded = alignment == 0 ? size_bytes : (size_bytes + alignment - 1) / alignment * alignment;
    void* mapped = MAP_FAILED;
    do {
        mapped = mmap(nullptr, rounded + alignment, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    } while (mapped == MAP_FAILED && MemoryReserve::release_for(rounded + alignment));
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    auto* begin = static_cast<std::byte*>(mapped);
    if (alignment != 0) {
        const std::size_t front = (alignment - reinterpret_cast<std::uintptr_t>(begin) % alignment) % alignment;
        if (front != 0) munmap(begin, front);
        begin += front;
        if (alignment != front) munmap(begin + rounded, alignment - front);
        madvise(begin, rounded, MADV_HUGEPAGE);
    }
    data_ = begin;
    size_bytes_ = rounded;
}

void MemoryRegion::populate(std::size_t begin_bytes, std::size_t size_bytes) const {
    UMS_ASSERT(begin_bytes + size_bytes <= size_bytes_);
    madvise(data_ + begin_bytes, size_bytes, MADV_POPULATE_WRITE);
}

MemoryRegion::~MemoryRegion() {
    if (data_ != nullptr) munmap(data_, size_bytes_);
}

}  // namespace ums
