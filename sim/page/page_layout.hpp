// The bytes of a page, format version 1; docs/page_format.md describes it for people. Little-endian. A page identifies itself (run, file,
// page, version) and carries its own checksum, and each of its sectors repeats the identity in short form, so that a mixture of old, new
// and foreign sectors explains itself.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "sim/limits.hpp"

namespace sim {

static_assert(std::endian::native == std::endian::little, "the formats are little-endian; a codec is needed here");

inline constexpr std::uint32_t kPageMagic = 0x46504f49;  // "IOPF"
inline constexpr std::uint16_t kPageFormat = 1;

enum class PageKind : std::uint16_t {
    data = 1,
    file_header = 2,  // page 0 of every file: our signature
};

struct PageHeader {
    std::uint32_t checksum;  // CRC-32C of bytes 4 … 8191
    std::uint32_t magic;     // kPageMagic
    std::uint16_t format;    // kPageFormat
    std::uint16_t kind;      // PageKind
    std::uint32_t file_id;
    std::uint64_t run_id;
    std::uint32_t page_id;
    std::uint32_t version;       // counts the writes of this page in this run, from 1
    std::uint64_t lsn;           // of the last change
    std::uint64_t seed;          // from which the body is recreated
    std::uint64_t write_utc_us;  // when the image was made
    std::uint64_t reserved[5];   // 0
};

static_assert(sizeof(PageHeader) == 96 && std::has_unique_object_representations_v<PageHeader>);
static_assert(offsetof(PageHeader, run_id) == 16 && offsetof(PageHeader, lsn) == 32 && offsetof(PageHeader, write_utc_us) == 48);

// The last 16 bytes of every 512-byte sector.
struct SectorStamp {
    std::uint32_t page_id;
    std::uint32_t version;
    std::uint32_t write_time_low;   // low half of write_utc_us
    std::uint16_t run_tag;          // low 16 bits of the run id
    std::uint16_t file_and_sector;  // file id << 4 | sector
};

static_assert(sizeof(SectorStamp) == 16 && std::has_unique_object_representations_v<SectorStamp>);
static_assert(kSectorsPerPage == 16, "file_and_sector has 4 bits for the sector");

inline constexpr std::size_t kStampOffset = kSectorBytes - sizeof(SectorStamp);

}  // namespace sim
