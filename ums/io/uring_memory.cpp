#include "ums/io/uring_memory.hpp"

#include <sys/uio.h>

#include <algorithm>

#include <liburing.h>

namespace ums {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{64} << 20;  // one of io_uring's has 1 GB at most
// Each ring has a table of its own, of up to 16 bytes for 4 KB.
constexpr std::uint32_t kBuffersMax = 256;

bool register_one(io_uring& ring, std::uint32_t number, std::byte* data, std::size_t size_bytes) {
    const iovec buffer{data, size_bytes};
    return io_uring_register_buffers_update_tag(&ring, number, &buffer, nullptr, 1) == 1;
}

}  // namespace

void UringMemory::add(io_uring& ring, std::byte* data, std::size_t size_bytes) {
    if (areas_.empty() && io_uring_register_buffers_sparse(&ring, kBuffersMax) != 0) return;
    Area& area = areas_.emplace_back(Area{reinterpret_cast<std::uintptr_t>(data), 0, buffer_count_});
    while (area.size_bytes < size_bytes && buffer_count_ < kBuffersMax) {
        const std::size_t next_bytes = std::min(kBufferBytes, size_bytes - area.size_bytes);
        if (!register_one(ring, buffer_count_, data + area.size_bytes, next_bytes)) return;
        area.size_bytes += next_bytes;
        ++buffer_count_;
    }
}

std::optional<std::uint16_t> UringMemory::find(const std::byte* data, std::size_t size_bytes) const {
    for (const Area& area : areas_) {
        const std::size_t offset = reinterpret_cast<std::uintptr_t>(data) - area.begin;  // huge if it lies before the area
        if (offset >= area.size_bytes) continue;
        const std::size_t buffer = offset / kBufferBytes;
        const std::size_t end_bytes = std::min((buffer + 1) * kBufferBytes, area.size_bytes);
        if (offset + size_bytes > end_bytes) return std::nullopt;
        return static_cast<std::uint16_t>(area.first_buffer + buffer);
    }
    return std::nullopt;
}

}  // namespace ums
