// A range of bytes in a file.
#pragma once

#include <cstdint>

namespace sim {

struct ByteRange {
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;

    [[nodiscard]] std::uint64_t end_bytes() const { return offset_bytes + size_bytes; }
    // The smallest range that has this one, and begins and ends at multiples of `alignment_bytes`, which is not 0: what must be read of a
    // disk that takes no other reads. It may reach behind the end of the file.
    [[nodiscard]] ByteRange rounded_out(std::uint64_t alignment_bytes) const {
        const std::uint64_t begin_bytes = offset_bytes / alignment_bytes * alignment_bytes;
        const std::uint64_t until_bytes = (end_bytes() + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
        return {begin_bytes, until_bytes - begin_bytes};
    }
};

}  // namespace sim
