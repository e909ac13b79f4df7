// Judges the bytes at a place where a log block must begin: the expected block, or what is wrong with them. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>

#include "sim/finding.hpp"
#include "sim/page/log_layout.hpp"

namespace sim {

struct ExpectedBlock {
    std::uint64_t run_id = 0;
    std::uint64_t sequence = 0;
    std::uint32_t vlf_sequence = 0;
    std::uint32_t vlf_sector = 0;
};

struct BlockFault {
    FindingKind kind{};
    std::string description;
};

[[nodiscard]] LogBlockHeader read_block_header(const std::byte* block);

// Whether there is a header that fits, followed by as many bytes as it says (kLogBlockBytesMax at most), with the right checksum.
[[nodiscard]] bool is_sound_block(const std::byte* block, std::uint64_t available_bytes);

// What the header says that came back, and the checksum of the block's bytes (0 if the header cannot be right about their number). Nothing
// without a header of ours.
[[nodiscard]] std::optional<ReceivedIdentity> received_block(const std::byte* block, std::uint64_t available_bytes);

// Nothing if the expected block is there. `block` has at least one sector; `available_bytes` follow from there to the end of what was read.
[[nodiscard]] std::optional<BlockFault> check_block(const std::byte* block, std::uint64_t available_bytes, const ExpectedBlock& expected);

// Calls `take(header, body)` for each record of a sound block (is_sound_block), in order. False if a record does not fit: a checksum shows
// that the bytes are those that were written, not who wrote them.
template <typename Take>
[[nodiscard]] bool for_each_record(const std::byte* block, Take take) {
    const LogBlockHeader block_header = read_block_header(block);
    if (block_header.used_bytes > block_header.size_bytes) return false;
    std::size_t offset = sizeof(LogBlockHeader);
    for (std::uint32_t i = 0; i < block_header.record_count; ++i) {
        LogRecordHeader header;
        if (offset + sizeof header > block_header.used_bytes) return false;
        std::memcpy(&header, block + offset, sizeof header);
        const bool fits = header.size_bytes >= sizeof header && header.size_bytes <= block_header.used_bytes - offset;
        if (!fits || header.size_bytes % 8 != 0) return false;
        take(header, std::span<const std::byte>(block + offset + sizeof header, header.size_bytes - sizeof header));
        offset += header.size_bytes;
    }
    return true;
}

// Reads the body of a record; false if it is shorter than this.
template <typename Body>
[[nodiscard]] bool read_body(std::span<const std::byte> bytes, Body& body) {
    if (bytes.size() < sizeof body) return false;
    std::memcpy(&body, bytes.data(), sizeof body);
    return true;
}

}  // namespace sim
