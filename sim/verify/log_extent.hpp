// How far the log that a crash left reaches, and whether something is missing in it. docs/durability.md explains why. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/finding.hpp"

namespace sim {

// A sound block of the run, where it belongs.
struct LogBlockPlace {
    std::uint64_t sequence = 0;
    std::uint64_t hardened_sequence = 0;  // according to the block
    std::uint64_t first_lsn = 0;
    std::uint64_t last_lsn = 0;
    std::uint64_t offset_bytes = 0;  // in its file
    std::uint64_t write_utc_us = 0;
    std::uint32_t size_bytes = 0;
    std::uint32_t file_id = 0;
    std::uint32_t vlf_sector = 0;
    std::uint32_t vlf_sectors = 0;
    std::uint32_t incarnation = 0;  // of the run that wrote it
};

// A checkpoint_end that was found. Whatever precedes it, the pages had been written when it was made.
struct CheckpointMark {
    std::uint64_t sequence = 0;  // of its block
    std::uint64_t begin_lsn = 0;
    std::uint64_t end_lsn = 0;
    std::uint32_t sums_count = 0;
    std::uint32_t unknown_count = 0;
    std::uint32_t incarnation = 0;
    std::uint16_t log_format = 0;
};

// A resume record that was found: the row continues there.
struct ResumeMark {
    std::uint64_t sequence = 0;  // of its block
    std::uint64_t last_sequence = 0;
    std::uint64_t last_lsn = 0;
    std::uint32_t incarnation = 0;
};

struct LogContents {
    std::vector<LogBlockPlace> blocks;  // in ascending order of sequences, each once, of the newest incarnation that has it
    std::vector<CheckpointMark> checkpoints;
    std::vector<ResumeMark> resumes;
    // According to a ledger outside the storage: the log was hardened up to here, and the run was this one when it last heard from it. 0:
    // there is none.
    std::uint64_t promised_sequence = 0;
    std::uint32_t promised_incarnation = 0;
};

// The first of these blocks, which are in ascending order of sequences, that has this sequence or a later one; end() if none has.
[[nodiscard]] std::vector<LogBlockPlace>::const_iterator first_from(const std::vector<LogBlockPlace>& blocks, std::uint64_t sequence);

struct LogExtent {
    std::uint64_t first_sequence = 0;     // of the unbroken row; 0: there is none
    std::uint64_t last_sequence = 0;      // where recovery stops
    std::uint64_t last_lsn = 0;           // of its last record
    std::uint64_t hardened_sequence = 0;  // at least up to here, everything had been acknowledged
    std::uint64_t blocks_in_row = 0;
    std::uint64_t blocks_behind = 0;           // after the end: in flight at the same time as a missing one, or after a hole
    std::vector<BlockRange> row;               // in order; one range, unless the run was resumed
    std::vector<BlockRange> missing;           // acknowledged, needed by recovery, and gone
    std::vector<BlockRange> missing_unneeded;  // acknowledged, gone, not needed by recovery, but freed by no checkpoint either
    std::optional<CheckpointMark> checkpoint;  // the last complete one
    [[nodiscard]] bool has_hole() const { return !missing.empty(); }
};

[[nodiscard]] LogExtent find_extent(const LogContents& contents);

// The minimum size of the log file, according to its blocks: each names its VLF, and the first VLF shows into how many of its length the
// file was divided. 0: it has no block.
[[nodiscard]] std::uint64_t least_log_bytes(const LogContents& contents, std::uint32_t file_id);

}  // namespace sim
