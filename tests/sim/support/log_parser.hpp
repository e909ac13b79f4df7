// Reads a log by the description of its format, which is all that it shares with the program.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tests/sim/support/raw_file.hpp"

namespace sim::testing {

struct ParsedRecord {
    std::uint32_t size_bytes = 0;
    std::uint16_t kind = 0;
    std::uint16_t slot = 0;
    std::uint32_t file_id = 0;
    std::uint32_t page_id = 0;
    std::uint32_t version = 0;
    std::uint32_t page_count = 0;
    std::uint64_t lsn = 0;
    std::vector<std::byte> body;  // after the header
};

struct ParsedBlock {
    std::uint64_t offset_bytes = 0;  // in the file
    std::uint32_t size_bytes = 0;
    std::uint64_t run_id = 0;
    std::uint64_t sequence = 0;
    std::uint64_t first_lsn = 0;
    std::uint32_t vlf_sequence = 0;
    std::uint32_t file_id = 0;
    std::uint32_t vlf_sector = 0;
    std::uint64_t hardened_sequence = 0;
    std::uint32_t incarnation = 0;
    std::uint32_t vlf_sectors = 0;
    bool is_sound = false;  // checksum, record chain, padding
    std::vector<ParsedRecord> records;
};

inline std::uint32_t plain_crc32c(const std::byte* data, std::size_t size_bytes) {
    static const auto table = [] {
        std::array<std::uint32_t, 256> result{};
        for (std::uint32_t i = 0; i < 256; ++i) {
            std::uint32_t value = i;
            for (int bit = 0; bit < 8; ++bit) value = (value & 1) != 0 ? value >> 1 ^ 0x82f63b78 : value >> 1;
            result[i] = value;
        }
        return result;
    }();
    std::uint32_t crc = 0xffff'ffff;
    for (std::size_t i = 0; i < size_bytes; ++i) crc = crc >> 8 ^ table[(crc ^ static_cast<std::uint32_t>(data[i])) & 0xff];
    return ~crc;
}

class LogParser {
public:
    // All consecutive blocks from `begin_bytes` on, before `end_bytes`.
    static std::vector<ParsedBlock> blocks(const std::string& path, std::uint64_t begin_bytes, std::uint64_t end_bytes) {
        const std::vector<std::byte> bytes = peek(path, begin_bytes, static_cast<std::size_t>(end_bytes - begin_bytes));
        std::vector<ParsedBlock> result;
        std::size_t offset = 0;
        while (offset + kHeaderBytes <= bytes.size()) {
            const std::byte* const at = bytes.data() + offset;
            if (std::memcmp(at + 4, "IOPL", 4) != 0) break;
            ParsedBlock block = parse(at, bytes.size() - offset);
            block.offset_bytes = begin_bytes + offset;
            result.push_back(block);
            if (block.size_bytes == 0) break;
            offset += block.size_bytes;
        }
        return result;
    }

    // The beginnings and ends of the virtual log files of a log of this many MB that begins with an 8 KB signature page.
    static std::vector<std::pair<std::uint64_t, std::uint64_t>> vlfs(std::uint64_t file_mb, std::uint64_t alignment_bytes) {
        const std::uint64_t count = file_mb < 64 ? 4 : file_mb <= 1024 ? 8 : 16;
        const std::uint64_t each_bytes = (file_mb * 1024 * 1024 - 8192) / count / alignment_bytes * alignment_bytes;
        std::vector<std::pair<std::uint64_t, std::uint64_t>> result;
        for (std::uint64_t i = 0; i < count; ++i) result.emplace_back(8192 + i * each_bytes, 8192 + (i + 1) * each_bytes);
        return result;
    }

    // The blocks of all virtual log files of one file, by sequence.
    static std::vector<ParsedBlock> whole_log(const std::string& path, std::uint64_t file_mb, std::uint64_t alignment_bytes) {
        std::vector<ParsedBlock> result;
        for (const auto& [begin_bytes, end_bytes] : vlfs(file_mb, alignment_bytes)) {
            for (ParsedBlock& block : blocks(path, begin_bytes, end_bytes)) result.push_back(std::move(block));
        }
        return result;
    }

private:
    static constexpr std::size_t kHeaderBytes = 80;

    template <typename T>
    static T number(const std::byte* at) {
        T value = 0;
        for (std::size_t i = sizeof value; i-- > 0;) value = static_cast<T>(static_cast<T>(value << 8) | static_cast<T>(at[i]));
        return value;
    }

    static ParsedBlock parse(const std::byte* at, std::size_t available_bytes) {
        ParsedBlock block;
        const auto checksum = number<std::uint32_t>(at);
        const auto format = number<std::uint16_t>(at + 8);
        const auto record_count = number<std::uint16_t>(at + 10);
        block.size_bytes = number<std::uint32_t>(at + 12);
        block.run_id = number<std::uint64_t>(at + 16);
        block.sequence = number<std::uint64_t>(at + 24);
        block.first_lsn = number<std::uint64_t>(at + 32);
        block.vlf_sequence = number<std::uint32_t>(at + 40);
        const auto used_bytes = number<std::uint32_t>(at + 44);
        block.file_id = number<std::uint32_t>(at + 48);
        block.vlf_sector = number<std::uint32_t>(at + 52);
        block.hardened_sequence = number<std::uint64_t>(at + 56);
        block.incarnation = number<std::uint32_t>(at + 72);
        block.vlf_sectors = number<std::uint32_t>(at + 76);
        if (format != 4 || block.size_bytes > available_bytes || block.size_bytes < kHeaderBytes || used_bytes > block.size_bytes)
            return block;
        block.is_sound = plain_crc32c(at + 4, block.size_bytes - 4) == checksum && block.hardened_sequence < block.sequence;
        std::size_t offset = kHeaderBytes;
        for (std::uint32_t i = 0; i < record_count; ++i) {
            ParsedRecord record = parse_record(at + offset, used_bytes - offset);
            if (record.size_bytes == 0 || record.slot != i || record.lsn != block.first_lsn + i) block.is_sound = false;
            if (record.size_bytes == 0) return block;
            offset += record.size_bytes;
            block.records.push_back(std::move(record));
        }
        if (offset != used_bytes) block.is_sound = false;
        for (; offset < block.size_bytes; ++offset) {
            if (at[offset] != std::byte{0}) block.is_sound = false;
        }
        return block;
    }

    // Size 0 if there is none.
    static ParsedRecord parse_record(const std::byte* at, std::size_t available_bytes) {
        ParsedRecord record;
        if (available_bytes < 32) return record;
        const auto size_bytes = number<std::uint32_t>(at);
        if (size_bytes < 32 || size_bytes > available_bytes || size_bytes % 8 != 0) return record;
        record.size_bytes = size_bytes;
        record.kind = number<std::uint16_t>(at + 4);
        record.slot = number<std::uint16_t>(at + 6);
        record.file_id = number<std::uint32_t>(at + 8);
        record.page_id = number<std::uint32_t>(at + 12);
        record.version = number<std::uint32_t>(at + 16);
        record.page_count = number<std::uint32_t>(at + 20);
        record.lsn = number<std::uint64_t>(at + 24);
        record.body.assign(at + 32, at + size_bytes);
        return record;
    }
};

}  // namespace sim::testing
