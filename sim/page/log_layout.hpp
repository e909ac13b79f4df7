// The bytes of the log, format version 4; docs/log_format.md describes it for people. Little-endian.
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
inline constexpr std::uint16_t kLogFormat = 4;
// Logs of these versions can still be read. Version 2 has no file_cuts, and file_resize does not say how long the file was. Until version 3
// the weights of a region's second sum are the places of its pages.
inline constexpr std::uint16_t kLogFormatOldest = 2;
inline constexpr std::uint16_t kLogFormatOfPlaces = 3;
[[nodiscard]] constexpr bool is_log_format(std::uint16_t format) { return format >= kLogFormatOldest && format <= kLogFormat; }

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
    std::uint32_t vlf_sector;  // where the block is in its VLF, in 512-byte units
    // When this block was made, the log was hardened up to the block with this number, so a reader of this block knows that all blocks up
    // to that one had been acknowledged. 0: none yet.
    std::uint64_t hardened_sequence;
    std::uint64_t write_utc_us;  // when it was made
    std::uint32_t incarnation;   // of the run, from 1: each --resume begins another one
    std::uint32_t vlf_sectors;   // size of the VLF, in 512-byte units
};

static_assert(sizeof(LogBlockHeader) == 80 && std::has_unique_object_representations_v<LogBlockHeader>);
static_assert(offsetof(LogBlockHeader, sequence) == 24 && offsetof(LogBlockHeader, vlf_sequence) == 40);
static_assert(offsetof(LogBlockHeader, hardened_sequence) == 56 && offsetof(LogBlockHeader, incarnation) == 72);

enum class LogRecordKind : std::uint16_t {
    page_update = 1,       // one page got a new version
    filler = 2,            // the rest of a record that is larger than a block
    checkpoint_begin = 3,  // every change before this record…
    checkpoint_end = 4,    // …is in the data files once this one is written
    file_resize = 5,       // the file has `page_count` pages from now on
    checkpoint_sums = 6,   // of the checkpoint that has begun: sums of the versions of regions of pages, as of its begin
    page_unknown = 7,      // a write of the page failed permanently: the checkpoint that is about to end promises nothing about it
    resume = 8,            // the first record of an incarnation: where the previous log ended
    file_cuts = 9,         // of the checkpoint that has begun: the file has been cut in this incarnation, down to page `page_id`
};
inline constexpr std::uint16_t kLogRecordKindMax = 9;

struct LogRecordHeader {
    std::uint32_t size_bytes;  // with this header; a multiple of 8
    std::uint16_t kind;        // LogRecordKind
    std::uint16_t slot;        // number in the block, from 0
    std::uint32_t file_id;
    std::uint32_t page_id;     // for file_resize: the page count before; for file_cuts: the smallest ever
    std::uint32_t version;     // of the page after the change; for checkpoint_sums: pages in a region
    std::uint32_t page_count;  // of the file, for file_resize and checkpoint_sums
    std::uint64_t lsn;
};

static_assert(sizeof(LogRecordHeader) == 32 && std::has_unique_object_representations_v<LogRecordHeader>);

// Of a file_resize: a cut, not a growth.
[[nodiscard]] constexpr bool is_cut(const LogRecordHeader& resize) { return resize.page_count < resize.page_id; }

// What follows the header of some kinds, in place of noise.

// checkpoint_sums: one for each region, starting with the region of `page_id`. Over the pages that the file has: the sum of their versions,
// and the sum of their versions times their weights (weight_in_region() in sim/log/page_sums.hpp).
struct RegionSum {
    std::uint64_t versions;
    std::uint64_t weighted;

    friend bool operator==(const RegionSum&, const RegionSum&) = default;
};

// checkpoint_end. `unknown_count`: kTooManyUnknown if the checkpoint promises nothing about any page.
struct CheckpointEnd {
    std::uint64_t begin_lsn;      // of its checkpoint_begin
    std::uint32_t sums_count;     // records of kind checkpoint_sums
    std::uint32_t unknown_count;  // records of kind page_unknown
};

// resume
struct ResumePoint {
    std::uint64_t last_sequence;  // of the last block of the previous log
    std::uint64_t last_lsn;       // of its last record
};

// file_cuts
struct FileCuts {
    std::uint64_t last_lsn;  // of the file_resize that cut it last
};

static_assert(sizeof(FileCuts) == 8 && sizeof(RegionSum) == 16 && sizeof(CheckpointEnd) == 16 && sizeof(ResumePoint) == 16);

inline constexpr std::uint32_t kTooManyUnknown = 0xffff'ffff;
// Both powers of two.
inline constexpr std::uint32_t kRegionPagesMin = 64;
inline constexpr std::uint32_t kRegionPagesMax = 1 << 20;

// A log sequence number says where its record is, like SQL Server's VLF:block:slot, and grows with time: VLF sequence (32 bits) | block in
// the VLF, in 512-byte units (20 bits) | slot in the block (12 bits).
// The end of a VLF of kVlfBytesMax is the begin of the next one.
[[nodiscard]] constexpr std::uint64_t make_lsn(std::uint32_t vlf_sequence, std::uint32_t vlf_sector, std::uint32_t slot) {
    return (std::uint64_t{vlf_sequence} << 32) + (std::uint64_t{vlf_sector} << 12) + slot;
}
[[nodiscard]] constexpr std::uint32_t vlf_of_lsn(std::uint64_t lsn) { return static_cast<std::uint32_t>(lsn >> 32); }

inline constexpr std::uint32_t kSlotsPerBlockMax = 4095;
// VLF and sector together have 52 bits, so no run has more blocks.
inline constexpr std::uint64_t kLogBlocksMax = std::uint64_t{1} << 52;
inline constexpr std::uint64_t kVlfBytesMax = (std::uint64_t{1} << 20) * kSectorBytes;
// The largest record that fits into one block.
inline constexpr std::uint32_t kLogRecordBytesMax = kLogBlockBytesMax - sizeof(LogBlockHeader);

}  // namespace sim
