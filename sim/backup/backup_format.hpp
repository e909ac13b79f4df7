// The bytes of a backup chain, format version 1; docs/backup_format.md describes it for people. Little-endian.
//
// The pages of a backup are in stripes, which are files in the page format (page_layout.hpp): each page has the identity of its place in
// the stripe. The chain says what is where, and holds the log that belongs to it: it is a file that begins with a signature page, followed
// by chunk after chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

namespace sim {

inline constexpr std::uint32_t kBackupMagic = 0x42504f49;  // "IOPB"
inline constexpr std::uint16_t kBackupFormat = 1;
// Chunk sizes are multiples of this: a disk with 4 KB sectors refuses shorter unbuffered transfers.
inline constexpr std::uint32_t kBackupAlignmentBytes = 4096;

enum class ChunkKind : std::uint16_t {
    set_begin = 1,  // SetBegin, then one SetFile for each data file
    pages = 2,      // PageRuns
    log = 3,        // log blocks as they are, one after the other
    set_end = 4,    // SetEnd
};
inline constexpr std::uint16_t kChunkKindMax = 4;

struct ChunkHeader {
    std::uint32_t checksum;    // CRC-32C of bytes 4 … size_bytes - 1
    std::uint32_t magic;       // kBackupMagic
    std::uint16_t format;      // kBackupFormat
    std::uint16_t kind;        // ChunkKind
    std::uint32_t size_bytes;  // with header and padding
    std::uint64_t run_id;
    std::uint64_t sequence;      // of the chunk in this chain, from 1, without gaps
    std::uint32_t used_bytes;    // header and body
    std::uint32_t set_number;    // of the backup in its chain, from 1
    std::uint64_t chain_number;  // in this run, from 1
    std::uint64_t write_utc_us;  // when it was made
    std::uint64_t reserved;      // 0
};

static_assert(sizeof(ChunkHeader) == 64 && std::has_unique_object_representations_v<ChunkHeader>);
static_assert(offsetof(ChunkHeader, run_id) == 16 && offsetof(ChunkHeader, used_bytes) == 32 && offsetof(ChunkHeader, chain_number) == 40);

enum class BackupKind : std::uint32_t { full = 1, differential = 2, log = 3 };

struct SetBegin {
    std::uint32_t kind;  // BackupKind
    std::uint32_t file_count;
    std::uint32_t stripe_count;
    std::uint32_t block_pages;  // of the largest transfer
};

struct SetFile {
    std::uint32_t file_id;
    std::uint32_t page_count;  // when the backup began
};

// Pages that are adjacent in a data file and also in a stripe.
struct PageRun {
    std::uint32_t file_id;
    std::uint32_t first_page;
    std::uint32_t page_count;
    std::uint32_t stripe;    // from 0
    std::uint32_t position;  // page in the stripe
};

// A restore brings all pages to this place in the log.
struct SetEnd {
    std::uint64_t last_lsn;
    std::uint64_t page_count;
    std::uint64_t log_bytes;
};

static_assert(sizeof(SetBegin) == 16 && sizeof(SetFile) == 8 && sizeof(PageRun) == 20 && sizeof(SetEnd) == 24);

// Writes header and padding around a body that already follows the space for the header. `chunk` has header.size_bytes, 8-aligned. The
// caller sets the sizes. Returns the checksum.
std::uint32_t finish_chunk(ChunkHeader header, std::byte* chunk);

// Of as many bytes as the header says; nothing if a chunk in `available_bytes` cannot have this size.
[[nodiscard]] std::optional<std::uint32_t> calculated_chunk_checksum(const std::byte* chunk, std::uint64_t available_bytes);

// Whether the chunk begins with a header of ours, fits into `available_bytes`, and has the right checksum.
[[nodiscard]] bool is_sound_chunk(const std::byte* chunk, std::uint64_t available_bytes);
[[nodiscard]] ChunkHeader read_chunk_header(const std::byte* chunk);

}  // namespace sim
