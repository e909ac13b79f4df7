// Compares an image with the one that was written, byte by byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sim {

struct ImageDifference {
    std::uint32_t first_wrong_byte = 0;  // kPageBytes if there is none
    std::uint32_t wrong_bytes = 0;
    std::uint32_t wrong_bits = 0;
    std::vector<std::uint32_t> wrong_bit_positions;  // byte * 8 + bit; the first kBitPositionsMax
    // The wrong bytes are mostly the written ones, shifted towards the end of the page by this many (towards its beginning if negative).
    std::int32_t shift_bytes = 0;
};

// Both kPageBytes. Pure.
[[nodiscard]] ImageDifference compare_images(const std::byte* image, const std::byte* written);

}  // namespace sim
