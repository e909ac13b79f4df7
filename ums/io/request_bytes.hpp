// The bytes of a transfer by their place in the file, whatever the segments are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ums/base/assert.hpp"
#include "ums/io/io_request.hpp"

namespace ums {

// Calls `visit(memory, size_bytes)` for the pieces of the request that hold [offset_bytes, + size_bytes) of the file, in order.
template <typename Visitor>
void visit_request_bytes(const IoRequest& request, std::uint64_t offset_bytes, std::uint64_t size_bytes, Visitor&& visit) {
    UMS_ASSERT(offset_bytes >= request.offset_bytes && offset_bytes + size_bytes <= request.offset_bytes + request.size_bytes);
    std::uint64_t skip_bytes = offset_bytes - request.offset_bytes;
    for (std::uint32_t index = 0; size_bytes > 0 && index < request.segment_count; ++index) {
        const IoSegment& segment = request.segments[index];
        if (skip_bytes >= segment.size_bytes) {
            skip_bytes -= segment.size_bytes;
            continue;
        }
        const std::uint64_t count = std::min<std::uint64_t>(size_bytes, segment.size_bytes - skip_bytes);
        visit(segment.data + skip_bytes, count);
        size_bytes -= count;
        skip_bytes = 0;
    }
}

inline void copy_from_request(const IoRequest& request, std::uint64_t offset_bytes, std::byte* to, std::uint64_t size_bytes) {
    visit_request_bytes(request, offset_bytes, size_bytes, [&to](const std::byte* from, std::uint64_t count) {
        std::memcpy(to, from, count);
        to += count;
    });
}

inline void copy_to_request(const IoRequest& request, std::uint64_t offset_bytes, const std::byte* from, std::uint64_t size_bytes) {
    visit_request_bytes(request, offset_bytes, size_bytes, [&from](std::byte* to, std::uint64_t count) {
        std::memcpy(to, from, count);
        from += count;
    });
}

}  // namespace ums
