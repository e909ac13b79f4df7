#include "sim/rehearsal/log_faults.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "sim/backup/backup_format.hpp"
#include "sim/page/log_layout.hpp"

namespace sim {

namespace {

constexpr std::uint64_t kWrongLogReadsMax = 3;

LogBlockHeader header_of(const std::vector<std::byte>& block) {
    LogBlockHeader header;
    std::memcpy(&header, block.data(), sizeof header);
    return header;
}

// Whether the block holds page changes, or the rest of one.
bool has_updates(const std::vector<std::byte>& block, const LogBlockHeader& header) {
    std::uint32_t offset = sizeof header;
    for (std::uint32_t i = 0; i < header.record_count && offset + sizeof(LogRecordHeader) <= block.size(); ++i) {
        LogRecordHeader record;
        std::memcpy(&record, block.data() + offset, sizeof record);
        const auto kind = static_cast<LogRecordKind>(record.kind);
        if (kind == LogRecordKind::page_update || kind == LogRecordKind::filler) return true;
        offset += std::max<std::uint32_t>(record.size_bytes, sizeof record);
    }
    return false;
}

}  // namespace

void LogFaults::finish_write(FaultyFile& file, const ums::IoRequest& request) {
    std::vector<std::byte> block(request.size_bytes);
    if (block.size() < sizeof(ChunkHeader) || request.owner == nullptr) return;
    ums::copy_from_request(request, request.offset_bytes, block.data(), block.size());
    if (is_sound_chunk(block.data(), block.size())) {
        copied_.chunk_written(block);
        if (const auto kind = choice_.draw_log_fault(FaultPlace::chain)) spoil_chunk(file, request, *kind, std::move(block));
        return;
    }
    const LogBlockHeader header = header_of(block);
    if (block.size() > kLogBlockBytesMax || header.magic != kLogMagic || header.size_bytes != block.size()) return;
    record_.log_block_written(header.sequence);
    if (tail_fault_ != 0) {
        lose_behind_tail(file, request, block);
    } else if (const auto kind = choice_.draw_log_fault(FaultPlace::anywhere)) {
        spoil(file, request, *kind, std::move(block));
    }
}

void LogFaults::lose_behind_tail(FaultyFile& file, const ums::IoRequest& request, const std::vector<std::byte>& block) {
    file.put_wrong(request.offset_bytes, std::vector<std::byte>(block.size()).data(), block.size(), tail_fault_);
    const LogBlockHeader header = header_of(block);
    const FaultRange range{file.path(), request.offset_bytes, request.size_bytes};
    record_.log_block_lost({tail_fault_, header.sequence, has_updates(block, header), range});
    record_.at(tail_fault_).more.push_back(range);
}

// Makes the block what it is to come back as. Returns how, for people.
std::string LogFaults::make_wrong(std::vector<std::byte>& block, FindingKind kind) {
    std::string what;
    switch (kind) {
        case FindingKind::log_block_damaged: damage_block(block.data(), block.size(), prng_, what); return what + " in a log block";
        case FindingKind::log_stale_block: age_block(block.data(), block.size(), prng_, what); return what;
        default: std::fill(block.begin(), block.end(), std::byte{0});
    }
    return kind == FindingKind::log_gap ? "a log block is missing" : "the log is missing from this block on";
}

void LogFaults::spoil(FaultyFile& file, const ums::IoRequest& request, FindingKind kind, std::vector<std::byte> block) {
    const LogBlockHeader header = header_of(block);
    const bool updates = has_updates(block, header);
    const std::string what = make_wrong(block, kind);
    const InjectedFault& fault = record_.add(kind, {file, request.offset_bytes, request.size_bytes}, false, what);
    file.put_wrong(request.offset_bytes, block.data(), block.size(), fault.number);
    if (kind == FindingKind::log_block_damaged) return record_.log_block_spoilt(header.sequence);
    record_.log_block_lost({fault.number, header.sequence, updates, {file.path(), request.offset_bytes, request.size_bytes}});
    if (kind == FindingKind::wal_violation) tail_fault_ = fault.number;
}

void LogFaults::spoil_chunk(FaultyFile& file, const ums::IoRequest& request, FindingKind kind, std::vector<std::byte> chunk) {
    std::string what;
    switch (kind) {
        case FindingKind::log_block_damaged:
            damage_block(chunk.data(), chunk.size(), prng_, what);
            what += " in a chunk of the chain of backups";
            break;
        case FindingKind::log_stale_block: age_chunk(chunk.data(), prng_, what); break;
        default:
            kind = FindingKind::log_gap;  // only the chain's reader knows that something is missing at its end
            what = "a chunk of the chain of backups is missing";
            std::fill(chunk.begin(), chunk.end(), std::byte{0});
    }
    InjectedFault& fault = record_.add(kind, {file, request.offset_bytes, request.size_bytes}, false, what);
    fault.is_in_chain = true;
    file.put_wrong(request.offset_bytes, chunk.data(), chunk.size(), fault.number);
}

// --- blocks that a backup reads ---

void LogFaults::finish_read(FaultyFile& file, const ums::IoRequest& request) {
    std::vector<std::byte> bytes(request.size_bytes);
    ums::copy_from_request(request, request.offset_bytes, bytes.data(), bytes.size());
    for (std::size_t at = 0; at + sizeof(LogBlockHeader) <= bytes.size();) {
        LogBlockHeader header;
        std::memcpy(&header, bytes.data() + at, sizeof header);
        // The last block may extend beyond what was read; a backup chain holds none.
        if (header.magic != kLogMagic || header.size_bytes < sizeof header || header.size_bytes > bytes.size() - at) return;
        const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(at);
        const FaultRange range{file.path(), request.offset_bytes + at, header.size_bytes};
        at += header.size_bytes;
        const auto kind = choice_.draw_log_fault(FaultPlace::log_backup);
        if (!kind) continue;
        const bool may_be_end = at == bytes.size() && header.sequence >= record_.newest_found_log_block();
        spoil_read_block(file, range, *kind, {begin, begin + header.size_bytes}, may_be_end);
        return;
    }
}

void LogFaults::spoil_read_block(FaultyFile& file, const FaultRange& range, FindingKind kind, std::vector<std::byte> block,
                                 bool may_be_end) {
    if (kind == FindingKind::wal_violation) kind = FindingKind::log_gap;  // as far as a backup knows, the log goes on
    const bool transient = prng_.below(3) == 0;
    const std::string what = make_wrong(block, kind) + (transient ? ", for some reads by a backup" : ", since a backup read it");
    InjectedFault& fault = record_.add(kind, {file, range.offset_bytes, range.size_bytes}, transient, what);
    fault.is_in_log_copy = true;
    // Nothing follows the last block that is left of the log, unless more is logged before the diagnosis looks.
    if (may_be_end && !transient && kind != FindingKind::log_block_damaged) fault.or_else = FindingKind::wal_violation;
    file.put_wrong(range.offset_bytes, block.data(), block.size(), fault.number);
    if (transient) passing_ = {fault.number, prng_.between(1, kWrongLogReadsMax)};
}

void LogFaults::was_read(FaultyFile& file, std::uint64_t fault) {
    if (fault != passing_.fault || --passing_.reads_left > 0) return;
    file.heal(fault);
    passing_ = {};
}

}  // namespace sim
