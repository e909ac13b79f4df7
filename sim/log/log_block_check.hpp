// Judges the bytes where a log block must begin. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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

// A header that fits, followed by as many bytes as it says, with the right checksum.
[[nodiscard]] bool is_sound_block(const std::byte* block, std::uint64_t available_bytes);

// Nothing if the expected block is there. `block` has at least a sector; `available_bytes` follow from there to the end of what was read.
[[nodiscard]] std::optional<BlockFault> check_block(const std::byte* block, std::uint64_t available_bytes, const ExpectedBlock& expected);

}  // namespace sim
