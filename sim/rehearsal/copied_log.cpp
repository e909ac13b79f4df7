#include "sim/rehearsal/copied_log.hpp"

#include <algorithm>
#include <cstring>

#include "sim/backup/backup_format.hpp"
#include "sim/page/checksum.hpp"

namespace sim {

void CopiedLog::chunk_written(std::span<const std::byte> chunk) {
    const ChunkHeader header = read_chunk_header(chunk.data());
    if (header.chain_number != chain_number_) begin_chain(header.chain_number);
    if (header.sequence <= last_chunk_) return;  // a repeated write
    last_chunk_ = header.sequence;
    const std::span<const std::byte> body = chunk.subspan(sizeof header, header.used_bytes - sizeof header);
    switch (static_cast<ChunkKind>(header.kind)) {
        case ChunkKind::set_begin: begin_set(body); return;
        case ChunkKind::log: take_blocks(body, header.run_id); return;
        case ChunkKind::set_end: has_wrong_copy_ |= is_wrong_; return;
        case ChunkKind::pages: return;
    }
}

void CopiedLog::begin_set(std::span<const std::byte> body) {
    SetBegin begin;
    std::memcpy(&begin, body.data(), sizeof begin);
    if (begin.kind != static_cast<std::uint32_t>(BackupKind::log) && !has_log_backups_) last_block_ = 0;
}

void CopiedLog::take_blocks(std::span<const std::byte> blocks, std::uint64_t run_id) {
    while (!blocks.empty() && !is_wrong_) {
        LogBlockHeader block{};
        std::memcpy(&block, blocks.data(), std::min(sizeof block, blocks.size()));
        is_wrong_ = !is_next(block, blocks, run_id);
        if (!is_wrong_) blocks = blocks.subspan(block.size_bytes);
    }
}

void CopiedLog::begin_chain(std::uint64_t chain_number) {
    chain_number_ = chain_number;
    last_chunk_ = 0;
    last_block_ = 0;
    is_wrong_ = false;
}

bool CopiedLog::is_next(const LogBlockHeader& header, std::span<const std::byte> bytes, std::uint64_t run_id) {
    const bool is_whole = header.magic == kLogMagic && header.size_bytes >= sizeof header && header.size_bytes <= bytes.size() &&
                          crc32c(bytes.data() + sizeof header.checksum, header.size_bytes - sizeof header.checksum) == header.checksum;
    const bool is_next = last_block_ == 0 || header.sequence == last_block_ + 1;
    last_block_ = header.sequence;
    return is_whole && is_next && header.run_id == run_id;
}

}  // namespace sim
