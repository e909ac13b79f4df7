// A log block while it is being filled and written (format: log_layout.hpp). Not thread-safe: the log manager guards it until it is sealed;
// from then on it belongs to the task that flushes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/log/virtual_log_files.hpp"
#include "sim/page/log_layout.hpp"

namespace sim {

// The contents of a record.
struct LogChange {
    LogRecordKind kind{};
    std::uint32_t file_id = 0;
    std::uint32_t page_id = 0;
    std::uint32_t version = 0;
    std::uint32_t page_count = 0;
    std::span<const std::byte> payload{};  // follows the header, in place of noise; a multiple of 8
};

// What the header of a block says about the log as a whole at the time when the block is made.
struct LogMoment {
    std::uint64_t run_id = 0;
    std::uint32_t incarnation = 1;
    std::uint64_t hardened_sequence = 0;
    std::uint64_t write_utc_us = 0;
};

struct LogBuffer {
    // Begins block number `block_sequence` at the end of the VLF, in the same memory.
    void open(const VirtualLogFile& vlf, std::uint32_t vlf_index, std::uint64_t block_sequence);
    [[nodiscard]] bool has_room(std::uint32_t record_bytes) const {
        return used_bytes + record_bytes <= capacity_bytes && record_count < kSlotsPerBlockMax;
    }
    // Appends a record of `record_bytes`, a multiple of 8, for which there is room; noise fills what the payload leaves. Returns its LSN.
    std::uint64_t append(const LogChange& change, std::uint32_t record_bytes);
    // Header, padding up to `size_bytes`, checksum: ready to be written.
    void finish(const LogMoment& moment);

    std::byte* data = nullptr;  // kLogBlockBytesMax, owned by the log manager
    SimFile* file = nullptr;
    std::uint64_t file_offset_bytes = 0;
    std::uint32_t vlf = 0;  // index
    std::uint32_t vlf_sequence = 0;
    std::uint32_t vlf_sectors = 0;
    std::uint64_t vlf_offset_bytes = 0;
    std::uint32_t capacity_bytes = 0;
    std::uint32_t used_bytes = 0;
    std::uint32_t record_count = 0;
    std::uint64_t sequence = 0;
    std::uint64_t first_lsn = 0;
    std::uint64_t last_lsn = 0;
    std::uint32_t size_bytes = 0;  // as written; fixed when the block is sealed
    std::uint32_t checksum = 0;
    bool is_written = false;  // or has failed
};

}  // namespace sim
