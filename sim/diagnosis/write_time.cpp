#include "sim/diagnosis/write_time.hpp"

#include <array>
#include <bit>
#include <cstring>

#include "sim/page/page_codec.hpp"
#include "ums/base/assert.hpp"

namespace sim {

namespace {

constexpr std::uint32_t kLowHalfBits = 32;

// Flipping these bits of the time flips these bits of the checksum.
struct Flips {
    std::uint32_t of_checksum = 0;
    std::uint32_t of_time = 0;
};

// Each at the highest bit of the checksum that it flips.
using Basis = std::array<Flips, kLowHalfBits>;

void put_low_half(std::byte* page, std::uint32_t low) {
    std::memcpy(page + offsetof(PageHeader, write_utc_us), &low, sizeof low);
    for (std::uint32_t sector = 0; sector < kSectorsPerPage; ++sector) {
        std::byte* const stamp = page + std::size_t{sector} * kSectorBytes + kStampOffset;
        std::memcpy(stamp + offsetof(SectorStamp, write_time_low), &low, sizeof low);
    }
}

// Cancels the flips of the checksum, from the highest bit down, as far as the basis has what they need.
Flips reduced(Flips flips, const Basis& basis) {
    for (std::uint32_t bit = kLowHalfBits; bit-- > 0;) {
        if ((flips.of_checksum >> bit & 1U) == 0) continue;
        if (basis[bit].of_checksum == 0) return flips;
        flips.of_checksum ^= basis[bit].of_checksum;
        flips.of_time ^= basis[bit].of_time;
    }
    return flips;
}

Basis make_basis() {
    alignas(8) std::array<std::byte, kPageBytes> page{};
    const std::uint32_t checksum_of_zeros = page_checksum(page.data());
    Basis basis{};
    for (std::uint32_t bit = 0; bit < kLowHalfBits; ++bit) {
        const std::uint32_t time = 1U << bit;
        put_low_half(page.data(), time);
        const Flips flips = reduced({page_checksum(page.data()) ^ checksum_of_zeros, time}, basis);
        UMS_ASSERT(flips.of_checksum != 0 && "the layout of a page makes them independent");
        basis[static_cast<std::size_t>(std::bit_width(flips.of_checksum) - 1)] = flips;
    }
    return basis;
}

}  // namespace

std::uint32_t fit_low_half(std::byte* page, std::uint32_t checksum) {
    static const Basis basis = make_basis();
    put_low_half(page, 0);
    const std::uint32_t low = reduced({page_checksum(page) ^ checksum, 0}, basis).of_time;
    put_low_half(page, low);
    return low;
}

}  // namespace sim
