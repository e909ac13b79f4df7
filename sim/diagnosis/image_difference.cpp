#include "sim/diagnosis/image_difference.hpp"

#include <bit>
#include <cstring>

#include "sim/finding.hpp"
#include "sim/limits.hpp"
#include "sim/page/page_layout.hpp"

namespace sim {

namespace {

constexpr std::size_t kProbeBytes = 8;
constexpr std::size_t kProbesMax = 32;
constexpr std::size_t kProbesMin = 4;
constexpr std::int32_t kShiftMax = kPageBytes / 2;

// Places, spread over the wrong bytes, where the image differs from what was written.
std::vector<std::size_t> choose_probes(const std::byte* image, const std::byte* written) {
    std::vector<std::size_t> wrong;
    for (std::size_t i = 0; i + kProbeBytes <= kPageBytes; i += kProbeBytes) {
        if (std::memcmp(image + i, written + i, kProbeBytes) != 0) wrong.push_back(i);
    }
    if (wrong.size() <= kProbesMax) return wrong;
    std::vector<std::size_t> probes;
    for (std::size_t i = 0; i < kProbesMax; ++i) probes.push_back(wrong[i * wrong.size() / kProbesMax]);
    return probes;
}

bool is_moved_by(std::int32_t shift, const std::vector<std::size_t>& probes, const std::byte* image, const std::byte* written) {
    std::size_t fits = 0;
    std::size_t compared = 0;
    for (const std::size_t at : probes) {
        const std::int64_t from = static_cast<std::int64_t>(at) - shift;
        if (from < 0 || from + static_cast<std::int64_t>(kProbeBytes) > static_cast<std::int64_t>(kPageBytes)) continue;
        // The stamps say when the page was written, and of a moved page that may be unknown.
        if (static_cast<std::size_t>(from) % kSectorBytes + kProbeBytes > kStampOffset) continue;
        ++compared;
        if (std::memcmp(image + at, written + from, kProbeBytes) == 0) ++fits;
        if (compared == 8 && fits == 0) return false;
    }
    return compared >= kProbesMin && fits * 4 >= compared * 3;
}

std::int32_t find_shift(const std::byte* image, const std::byte* written) {
    const std::vector<std::size_t> probes = choose_probes(image, written);
    if (probes.size() < kProbesMin) return 0;
    for (std::int32_t distance = 1; distance <= kShiftMax; ++distance) {
        if (is_moved_by(distance, probes, image, written)) return distance;
        if (is_moved_by(-distance, probes, image, written)) return -distance;
    }
    return 0;
}

}  // namespace

ImageDifference compare_images(const std::byte* image, const std::byte* written) {
    ImageDifference difference;
    difference.first_wrong_byte = kPageBytes;
    for (std::uint32_t i = 0; i < kPageBytes; ++i) {
        const auto bits = static_cast<std::uint8_t>(image[i] ^ written[i]);
        if (bits == 0) continue;
        if (difference.wrong_bytes++ == 0) difference.first_wrong_byte = i;
        difference.wrong_bits += static_cast<std::uint32_t>(std::popcount(bits));
        for (std::uint32_t bit = 0; bit < 8 && difference.wrong_bit_positions.size() < kBitPositionsMax; ++bit) {
            if ((bits >> bit & 1U) != 0) difference.wrong_bit_positions.push_back(i * 8 + bit);
        }
    }
    difference.shift_bytes = find_shift(image, written);
    return difference;
}

}  // namespace sim
