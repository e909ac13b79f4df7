#include "sim/backup/backup_format.hpp"

#include <cstring>

#include "sim/page/checksum.hpp"
#include "ums/base/assert.hpp"

namespace sim {

std::uint32_t finish_chunk(ChunkHeader header, std::byte* chunk) {
    UMS_ASSERT(header.used_bytes >= sizeof header && header.used_bytes <= header.size_bytes);
    header.magic = kBackupMagic;
    header.format = kBackupFormat;
    std::memset(chunk + header.used_bytes, 0, header.size_bytes - header.used_bytes);
    std::memcpy(chunk, &header, sizeof header);
    header.checksum = crc32c(chunk + sizeof header.checksum, header.size_bytes - sizeof header.checksum);
    std::memcpy(chunk, &header.checksum, sizeof header.checksum);
    return header.checksum;
}

ChunkHeader read_chunk_header(const std::byte* chunk) {
    ChunkHeader header;
    std::memcpy(&header, chunk, sizeof header);
    return header;
}

std::optional<std::uint32_t> calculated_chunk_checksum(const std::byte* chunk, std::uint64_t available_bytes) {
    const ChunkHeader header = read_chunk_header(chunk);
    if (header.size_bytes < sizeof header || header.size_bytes > available_bytes) return std::nullopt;
    return crc32c(chunk + sizeof header.checksum, header.size_bytes - sizeof header.checksum);
}

bool is_sound_chunk(const std::byte* chunk, std::uint64_t available_bytes) {
    const ChunkHeader header = read_chunk_header(chunk);
    return header.magic == kBackupMagic && header.format == kBackupFormat && header.kind >= 1 && header.kind <= kChunkKindMax &&
           header.used_bytes >= sizeof header && header.used_bytes <= header.size_bytes &&
           calculated_chunk_checksum(chunk, available_bytes) == header.checksum;
}

}  // namespace sim
