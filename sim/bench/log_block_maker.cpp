#include "sim/bench/log_block_maker.hpp"

#include <cstring>

#include "sim/page/checksum.hpp"
#include "sim/page/page_codec.hpp"
#include "ums/base/assert.hpp"

namespace sim {

namespace {

constexpr std::uint64_t kNoiseSeed = 0x6c6f'6762'6c6f'636bULL;
constexpr std::size_t kSectorWords = kSectorBytes / sizeof(std::uint64_t);

void fill_with_noise(std::byte* memory, std::size_t size_bytes) { fill_from_seed(kNoiseSeed, memory, size_bytes); }

}  // namespace

LogBlockMaker::LogBlockMaker(std::uint32_t unit_bytes, std::uint32_t size_bytes_min, std::uint32_t size_bytes_max)
    : unit_bytes_(unit_bytes), size_bytes_min_(size_bytes_min), size_bytes_max_(size_bytes_max) {
    UMS_ASSERT(unit_bytes > 0 && unit_bytes % kSectorBytes == 0 && size_bytes_min > 0 && size_bytes_min <= size_bytes_max);
    UMS_ASSERT(size_bytes_min % unit_bytes == 0 && size_bytes_max % unit_bytes == 0);
    std::vector<std::uint64_t> noise(size_bytes_max / sizeof(std::uint64_t));
    fill_with_noise(reinterpret_cast<std::byte*>(noise.data()), size_bytes_max);
    for (std::size_t word = 0; word < noise.size(); word += kSectorWords) first_words_.push_back(noise[word]);
    calculate_sums(noise);
}

// Sector by sector: the checksums of a block without header and key, and of those in which one bit differs.
void LogBlockMaker::calculate_sums(std::vector<std::uint64_t>& noise) {
    std::uint32_t plain = 0;
    std::array<std::uint32_t, kBits> changed{};
    for (std::size_t bit = 0; bit < kHeaderBits; ++bit) changed[bit] = std::uint32_t{1} << bit;
    for (std::uint32_t end_bytes = kSectorBytes; end_bytes <= size_bytes_max_; end_bytes += kSectorBytes) {
        const bool has_header = end_bytes == kSectorBytes;
        std::uint64_t* const words = noise.data() + (end_bytes - kSectorBytes) / sizeof(std::uint64_t);
        const std::size_t begin_bytes = has_header ? sizeof(LogBlockHeader) : 0;
        const auto* const bytes = reinterpret_cast<const std::byte*>(words) + begin_bytes;
        const std::size_t size_bytes = kSectorBytes - begin_bytes;
        plain = crc32c(bytes, size_bytes, plain);
        for (std::size_t bit = 0; bit < kBits; ++bit) {
            const std::uint64_t key = has_header || bit < kHeaderBits ? 0 : std::uint64_t{1} << (bit - kHeaderBits);
            *words ^= key;
            changed[bit] = crc32c(bytes, size_bytes, changed[bit]);
            *words ^= key;
        }
        if (end_bytes < size_bytes_min_ || end_bytes % unit_bytes_ != 0) continue;
        Sums& sums = sums_.emplace_back();
        sums.of_nothing = plain;
        for (std::size_t bit = 0; bit < kBits; ++bit) sums.of[bit] = changed[bit] ^ plain;
    }
}

void LogBlockMaker::prepare(std::byte* memory) const { fill_with_noise(memory, size_bytes_max_); }

std::uint32_t LogBlockMaker::make(const LogBlockHeader& header, std::uint64_t key, std::byte* memory) const {
    UMS_ASSERT(header.size_bytes >= size_bytes_min_ && header.size_bytes <= size_bytes_max_ && header.size_bytes % unit_bytes_ == 0);
    std::memcpy(memory, &header, sizeof header);
    for (std::size_t sector = 1; sector < header.size_bytes / kSectorBytes; ++sector) {
        const std::uint64_t word = first_words_[sector] ^ key;
        std::memcpy(memory + sector * kSectorBytes, &word, sizeof word);
    }
    const Sums& sums = sums_[(header.size_bytes - size_bytes_min_) / unit_bytes_];
    const std::uint32_t of_header = crc32c(memory + sizeof header.checksum, sizeof header - sizeof header.checksum);
    std::uint32_t checksum = sums.of_nothing;
    for (std::size_t bit = 0; bit < kHeaderBits; ++bit) checksum ^= sums.of[bit] & (0U - (of_header >> bit & 1));
    for (std::size_t bit = 0; bit < 64; ++bit) checksum ^= sums.of[kHeaderBits + bit] & (0U - static_cast<std::uint32_t>(key >> bit & 1));
    std::memcpy(memory, &checksum, sizeof checksum);
    return checksum;
}

}  // namespace sim
