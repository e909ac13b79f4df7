#include "sim/log/log_block_check.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "sim/page/checksum.hpp"
#include "sim/page/page_codec.hpp"

namespace sim {

namespace {

// Equal except for a few bits: damage rather than another value.
bool is_nearly(std::uint64_t value, std::uint64_t expected) {
    constexpr int kWrongBitsMax = 8;
    return std::popcount(value ^ expected) <= kWrongBitsMax;
}

// The header of a block that stood here in an earlier round of the ring, or in an earlier run. The block behind it may be overwritten in
// part; the header must be right to the last bit, or it is the expected one, damaged.
bool is_older_header(const LogBlockHeader& header, const ExpectedBlock& expected) {
    if (header.magic != kLogMagic || !is_log_format(header.format)) return false;
    if (header.run_id != expected.run_id) return !is_nearly(header.run_id, expected.run_id);
    return header.vlf_sequence < expected.vlf_sequence && header.sequence < expected.sequence && header.vlf_sector == expected.vlf_sector;
}

// The header of the expected block, or of one that was it before some bits were damaged.
bool is_damaged_header(const LogBlockHeader& header, const ExpectedBlock& expected) {
    return is_nearly(header.magic, kLogMagic) && is_nearly(header.run_id, expected.run_id);
}

// What a lost write leaves in the ring may begin in the middle of an older block: a record's header of an earlier round or of another run,
// or noise of ours.
bool is_inside_of_a_block(const std::byte* sector, const ExpectedBlock& expected) {
    for (std::size_t offset = 0; offset + sizeof(LogRecordHeader) <= kSectorBytes; offset += 8) {
        LogRecordHeader record;
        std::memcpy(&record, sector + offset, sizeof record);
        const bool fits = record.kind >= 1 && record.kind <= kLogRecordKindMax && record.size_bytes >= sizeof record &&
                          record.size_bytes <= kLogRecordBytesMax && record.size_bytes % 8 == 0;
        if (fits && record.lsn != 0 && vlf_of_lsn(record.lsn) != expected.vlf_sequence) return true;
    }
    return is_made_from_a_seed(sector, kSectorBytes);
}

// Of as many bytes as the header says; nothing if a block cannot have this size.
std::optional<std::uint32_t> calculated_checksum(const std::byte* block, std::uint64_t available_bytes) {
    const LogBlockHeader header = read_block_header(block);
    const std::uint64_t size_bytes_max = std::min<std::uint64_t>(kLogBlockBytesMax, available_bytes);
    const bool is_possible =
        header.size_bytes >= sizeof header && header.size_bytes <= size_bytes_max && header.size_bytes % kSectorBytes == 0;
    if (!is_possible) return std::nullopt;
    return crc32c(block + sizeof header.checksum, header.size_bytes - sizeof header.checksum);
}

}  // namespace

LogBlockHeader read_block_header(const std::byte* block) {
    LogBlockHeader header;
    std::memcpy(&header, block, sizeof header);
    return header;
}

bool is_sound_block(const std::byte* block, std::uint64_t available_bytes) {
    const LogBlockHeader header = read_block_header(block);
    return header.magic == kLogMagic && calculated_checksum(block, available_bytes) == header.checksum;
}

std::optional<ReceivedIdentity> received_block(const std::byte* block, std::uint64_t available_bytes) {
    const LogBlockHeader header = read_block_header(block);
    if (header.magic != kLogMagic) return std::nullopt;
    return ReceivedIdentity{.lsn = header.first_lsn,
                            .checksum = header.checksum,
                            .calculated_checksum = calculated_checksum(block, available_bytes).value_or(0),
                            .run_id = header.run_id,
                            .file_id = header.file_id};
}

std::optional<BlockFault> check_block(const std::byte* block, std::uint64_t available_bytes, const ExpectedBlock& expected) {
    const LogBlockHeader header = read_block_header(block);
    const std::uint64_t sequence = expected.sequence;
    if (is_all_zero(block, kSectorBytes)) {
        return BlockFault{FindingKind::log_gap, fmt::format("Log block {} was written and acknowledged, but zeros came back.", sequence)};
    }
    const bool is_of_run = header.run_id == expected.run_id;
    const bool is_older =
        header.magic == kLogMagic && (!is_of_run || header.vlf_sequence < expected.vlf_sequence || header.sequence < sequence);
    if (!is_sound_block(block, available_bytes)) {
        const bool is_older_part = !is_damaged_header(header, expected) && is_inside_of_a_block(block, expected);
        if (is_older_header(header, expected) || is_older_part) {
            return BlockFault{FindingKind::log_stale_block,
                              fmt::format("Log block {} was written and acknowledged, but what was there before came back.", sequence)};
        }
        return BlockFault{FindingKind::log_block_damaged, fmt::format("Log block {} is damaged: its checksum is wrong.", sequence)};
    }
    if (is_of_run && header.vlf_sequence == expected.vlf_sequence && header.sequence == sequence) return std::nullopt;
    return BlockFault{is_older ? FindingKind::log_stale_block : FindingKind::log_gap,
                      fmt::format("Log block {} was written and acknowledged, but block {}{} came back.", sequence, header.sequence,
                                  is_of_run ? "" : " of another run")};
}

}  // namespace sim
