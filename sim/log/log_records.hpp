// Splits a log block into its records. Pure.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "sim/log/log_block_check.hpp"
#include "sim/page/log_layout.hpp"

namespace sim {

// Calls `take(header, body)` for each record of a sound block (is_sound_block), in order. False if a record does not fit: a checksum says
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

// The body of a record, if it has one of that size.
template <typename Body>
[[nodiscard]] bool read_body(std::span<const std::byte> bytes, Body& body) {
    if (bytes.size() < sizeof body) return false;
    std::memcpy(&body, bytes.data(), sizeof body);
    return true;
}

}  // namespace sim
