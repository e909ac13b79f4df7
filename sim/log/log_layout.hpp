// The bytes of the log, format version 1; docs/log_format.md describes it for people. Little-endian.
//
// A log file begins with a signature page (page_layout.hpp). The rest is divided into virtual log files (VLFs), which the log fills
// one after the other with blocks: a block header, then records. A block never crosses a VLF, is a multiple of the sector size, is at
// most 60 KB long and is written once: the last, partly filled block is padded, never rewritten in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "sim/limits.hpp"

namespace sim {

inline constexpr std::uint32_t kLogMagic = 0x4c504f49;  // "IOPL"
inline constexpr std::uint16_t kLogFormat = 1;

struct LogBlockHeader {
    std::uint32_t checksum;  // CRC-32C of bytes 4 … size_bytes - 1
    std::uint32_t magic;     // kLogMagic
    std::uint16_t format;    // kLogFormat
    std::uint16_t record_count;
    std::uint32_t size_bytes;  // with header and padding
    std::uint64_t run_id;
    std::uint64_t sequence;      // of blocks in this run, from 1, without gaps
    std::uint64_t first_lsn;     // of the first record
    std::uint32_t vlf_sequence;  // how many VLFs were begun before this one, plus 1
    std::uint32_t used_bytes;    // header and records
    std::uint32_t file_id;
    std::uint32_t vlf_sector;  // where the block stands in its VLF, in 512-byte units
    std::uint64_t reserved;    // 0
};

static_assert(sizeof(LogBlockHeader) == 64 && std::has_unique_object_representations_v<LogBlockHeader>);
static_assert(offsetof(LogBlockHeader, sequence) == 24 && offsetof(LogBlockHeader, vlf_sequence) == 40);

enum class LogRecordKind : std::uint16_t {
    page_update = 1,       // one page got a new version
    filler = 2,            // the rest of a record that is larger than a block
    checkpoint_begin = 3,  // every change before this record…
    checkpoint_end = 4,    // …is in the data files once this one is written
    file_resize = 5,       // the file has `page_count` pages from now on
};

struct LogRecordHeader {
    std::uint32_t size_bytes;  // with this header; a multiple of 8
    std::uint16_t kind;        // LogRecordKind
    std::uint16_t slot;        // number in the block, from 0
    std::uint32_t file_id;
    std::uint32_t page_id;
    std::uint32_t version;     // of the page after the change
    std::uint32_t page_count;  // of the file, for file_resize
    std::uint64_t lsn;
};

static_assert(sizeof(LogRecordHeader) == 32 && std::has_unique_object_representations_v<LogRecordHeader>);

// A log sequence number says where its record stands, like SQL Server's VLF:block:slot, and grows with time:
// VLF sequence (32 bits) | block in the VLF, in 512-byte units (20 bits) | slot in the block (12 bits).
[[nodiscard]] constexpr std::uint64_t make_lsn(std::uint32_t vlf_sequence, std::uint32_t vlf_sector, std::uint32_t slot) {
    return std::uint64_t{vlf_sequence} << 32 | std::uint64_t{vlf_sector} << 12 | slot;
}
[[nodiscard]] constexpr std::uint32_t vlf_of_lsn(std::uint64_t lsn) { return static_cast<std::uint32_t>(lsn >> 32); }

inline constexpr std::uint32_t kSlotsPerBlockMax = 4095;
inline constexpr std::uint64_t kVlfBytesMax = (std::uint64_t{1} << 20) * kSectorBytes;
// The largest record that fits into one block.
inline constexpr std::uint32_t kLogRecordBytesMax = kLogBlockBytesMax - sizeof(LogBlockHeader);

}  // namespace sim
