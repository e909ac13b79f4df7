#include "sim/page/page_codec.hpp"

#include <array>
#include <cstring>
#include <string_view>

#include "sim/page/checksum.hpp"
#include "sim/page/word_fill.hpp"
#include "ums/base/assert.hpp"
#include "ums/base/prng.hpp"

namespace sim {

namespace {

constexpr std::size_t kNoiseWords = 8192;  // 64 KiB: stays in the second-level cache
constexpr std::size_t kChunkWords = 1024;  // one page

// Random words from which bodies are cut; the same in every run and version of the program (part of the page format).
const std::uint64_t* noise() {
    static const auto words = [] {
        std::array<std::uint64_t, kNoiseWords + kChunkWords> result{};
        ums::Prng prng(0x696f'7072'6f6f'6631ULL);
        for (auto& word : result) word = prng.next();
        return result;
    }();
    return words.data();
}

constexpr std::string_view kSignatureText =
    "\n\nThis is a test file of ioproof, the SQL Server I/O simulator.\n"
    "It contains no user data and can be deleted when no test is running.\n\n";
static_assert(sizeof(PageHeader) + kSignatureText.size() <= kStampOffset);

}  // namespace

std::uint64_t page_seed(const PageIdentity& identity) {
    const std::uint64_t place = std::uint64_t{identity.file_id} << 32 | identity.page_id;
    return ums::mix64(ums::mix64(identity.run_id ^ place) + identity.version);
}

void fill_from_seed(std::uint64_t seed, std::byte* out, std::size_t size_bytes) {
    UMS_ASSERT(size_bytes % 8 == 0 && reinterpret_cast<std::uintptr_t>(out) % 8 == 0);
    const std::uint64_t* const source = noise();
    auto* words = reinterpret_cast<std::uint64_t*>(out);
    std::size_t remaining = size_bytes / 8;
    while (remaining > 0) {
        const std::size_t count = remaining < kChunkWords ? remaining : kChunkWords;
        const std::uint64_t* from = source + (seed >> 51);  // 13 bits: 0 … kNoiseWords - 1
        const std::uint64_t key = ums::mix64(seed);
        xor_words(words, from, count, key);
        words += count;
        remaining -= count;
        seed = key;
    }
}

// Neighboring words differ as those of the noise do, because all are combined with the same key.
bool is_made_from_a_seed(const std::byte* bytes, std::size_t size_bytes) {
    constexpr std::size_t kRunWords = 8;
    const auto* words = reinterpret_cast<const std::uint64_t*>(bytes);
    const std::size_t count = size_bytes / 8;
    const std::uint64_t* const source = noise();
    for (std::size_t i = 0; i + kRunWords <= count; i += kRunWords) {
        for (std::size_t j = 0; j + kRunWords <= kNoiseWords + kChunkWords; ++j) {
            std::size_t same = 0;
            while (same + 1 < kRunWords && (words[i + same] ^ words[i + same + 1]) == (source[j + same] ^ source[j + same + 1])) ++same;
            if (same + 1 == kRunWords) return true;
        }
    }
    return false;
}

std::uint32_t make_page(const PageIdentity& identity, std::byte* page) {
    UMS_ASSERT(identity.version != 0 && identity.file_id <= kFilesMax);
    PageHeader header{};
    header.magic = kPageMagic;
    header.format = kPageFormat;
    header.kind = static_cast<std::uint16_t>(identity.page_id == 0 ? PageKind::file_header : PageKind::data);
    header.file_id = identity.file_id;
    header.run_id = identity.run_id;
    header.page_id = identity.page_id;
    header.version = identity.version;
    header.lsn = identity.lsn;
    header.seed = page_seed(identity);
    header.write_utc_us = identity.write_utc_us;

    fill_from_seed(header.seed, page, kPageBytes);
    std::memcpy(page, &header, sizeof header);
    if (identity.page_id == 0) std::memcpy(page + sizeof header, kSignatureText.data(), kSignatureText.size());
    for (std::uint32_t sector = 0; sector < kSectorsPerPage; ++sector) {
        const SectorStamp stamp{identity.page_id, identity.version, static_cast<std::uint32_t>(identity.write_utc_us),
                                static_cast<std::uint16_t>(identity.run_id), static_cast<std::uint16_t>(identity.file_id << 4 | sector)};
        std::memcpy(page + std::size_t{sector} * kSectorBytes + kStampOffset, &stamp, sizeof stamp);
    }
    const std::uint32_t checksum = page_checksum(page);
    std::memcpy(page, &checksum, sizeof checksum);
    return checksum;
}

std::uint32_t page_checksum(const std::byte* page) {
    return crc32c(page + sizeof PageHeader::checksum, kPageBytes - sizeof PageHeader::checksum);
}

PageHeader read_header(const std::byte* page) {
    PageHeader header;
    std::memcpy(&header, page, sizeof header);
    return header;
}

bool is_sound_page(const std::byte* page) {
    const PageHeader header = read_header(page);
    return header.magic == kPageMagic && header.checksum == page_checksum(page);
}

SectorStamp read_stamp(const std::byte* page, std::uint32_t sector) {
    UMS_ASSERT(sector < kSectorsPerPage);
    SectorStamp stamp;
    std::memcpy(&stamp, page + std::size_t{sector} * kSectorBytes + kStampOffset, sizeof stamp);
    return stamp;
}

bool has_signature(const std::byte* page) {
    const PageHeader header = read_header(page);
    return header.magic == kPageMagic && header.format != 0 && header.kind == static_cast<std::uint16_t>(PageKind::file_header) &&
           std::memcmp(page + sizeof header, kSignatureText.data(), kSignatureText.size()) == 0;
}

bool is_all_zero(const std::byte* bytes, std::size_t size_bytes) {
    UMS_ASSERT(size_bytes % 8 == 0 && reinterpret_cast<std::uintptr_t>(bytes) % 8 == 0);
    const auto* words = reinterpret_cast<const std::uint64_t*>(bytes);
    std::uint64_t any = 0;
    for (std::size_t i = 0; i < size_bytes / 8; ++i) any |= words[i];
    return any == 0;
}

void stamp_not_read(std::byte* buffer, std::size_t size_bytes) {
    UMS_ASSERT(size_bytes % 8 == 0);
    fill_words(reinterpret_cast<std::uint64_t*>(buffer), size_bytes / 8, kNotReadPattern);
}

}  // namespace sim
