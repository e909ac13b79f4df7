// Log blocks that cost next to nothing to make, so that a measurement of log writes is one of the storage: fio sends the same buffer over
// and over. All blocks share their noise. Each sector after the first begins with a word that only this block has, so no two blocks have a
// 4 KB block in common.
//
// The checksum is that of all bytes, as if it had been calculated from them. CRC-32C is linear: what the header and one bit of the key
// change in the checksum of a block of this size never depends on the other bits. So the changes are calculated once for each bit and size,
// and added (XOR) for each block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/page/log_layout.hpp"

namespace sim {

// Does not change after its construction: any thread may call.
class LogBlockMaker {
public:
    // Blocks have sizes from `size_bytes_min` to `size_bytes_max`, both multiples of `unit_bytes`, which is one of kSectorBytes. Needs 400
    // bytes of memory for each size.
    LogBlockMaker(std::uint32_t unit_bytes, std::uint32_t size_bytes_min, std::uint32_t size_bytes_max);

    // Fills memory of the largest size with what all blocks have in common. Needed once, before its first block.
    void prepare(std::byte* memory) const;
    // Makes the block that has this header, apart from its checksum, and this key. Touches nothing but the header and one word of each
    // sector. Returns the checksum, which is also in the block.
    std::uint32_t make(const LogBlockHeader& header, std::uint64_t key, std::byte* memory) const;

private:
    static constexpr std::size_t kHeaderBits = 32;  // of the checksum of the header
    static constexpr std::size_t kBits = kHeaderBits + 64;

    struct Sums {
        std::uint32_t of_nothing = 0;           // the checksum if header and key were zero
        std::array<std::uint32_t, kBits> of{};  // what each bit changes in it
    };

    void calculate_sums(std::vector<std::uint64_t>& noise);

    const std::uint32_t unit_bytes_;
    const std::uint32_t size_bytes_min_;
    const std::uint32_t size_bytes_max_;
    std::vector<std::uint64_t> first_words_;  // of the sectors, without a key
    std::vector<Sums> sums_;                  // of each size
};

}  // namespace sim
