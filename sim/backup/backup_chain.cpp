#include "sim/backup/backup_chain.hpp"

#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sim/diagnosis/classifier.hpp"
#include "sim/files/io_retry.hpp"
#include "sim/files/transfer_failure.hpp"
#include "sim/page/page_codec.hpp"
#include "ums/io/errno_error.hpp"

namespace sim {

namespace {

constexpr std::uint64_t kUsualStepBytes = 16 << 20;

// What the header says that came back. Nothing without a header of ours.
std::optional<ReceivedIdentity> received_chunk(const std::byte* chunk, std::uint64_t available_bytes) {
    const ChunkHeader header = read_chunk_header(chunk);
    if (header.magic != kBackupMagic) return std::nullopt;
    return ReceivedIdentity{.checksum = header.checksum,
                            .calculated_checksum = calculated_chunk_checksum(chunk, available_bytes).value_or(0),
                            .run_id = header.run_id};
}

}  // namespace

void add_to_chain(std::vector<BackupSet>& sets, BackupSet set) {
    if (!sets.empty()) sets.back().sums = {};
    sets.push_back(std::move(set));
}

BackupChain::BackupChain(SimFile& file, std::uint64_t run_id, std::uint64_t chunk_bytes_max, RunState& run, Journal& journal)
    : file_(file),
      run_id_(run_id),
      chunk_bytes_max_(chunk_bytes_max),
      run_(run),
      journal_(journal),
      write_memory_(chunk_bytes_max, ums::MemoryKind::plain),
      read_memory_(chunk_bytes_max, ums::MemoryKind::plain) {}

// --- writing ---

ums::Task<bool> BackupChain::begin(std::uint64_t chain_number) {
    chain_number_ = chain_number;
    chunks_.clear();
    end_bytes_ = kPageBytes;
    step_bytes_ = kUsualStepBytes;
    co_await file_.resize_latch().acquire_exclusive(ums::WaitType::file_resize);
    const std::error_code error = co_await file_.resize(kPageBytes);
    file_.resize_latch().release_exclusive();
    if (!error) co_return true;
    journal_.warning(fmt::format("{}: cannot be emptied for a new chain of backups: {}.", file_.path(), ums::error_text(error)));
    co_return false;
}

ums::Task<bool> BackupChain::make_room(std::uint64_t end_bytes) {
    const std::uint64_t old_bytes = file_.size_bytes();
    if (end_bytes <= old_bytes) co_return true;
    const auto in_steps = [this, end_bytes] { return (end_bytes + step_bytes_) / step_bytes_ * step_bytes_; };
    co_await file_.resize_latch().acquire_exclusive(ums::WaitType::file_resize);
    std::error_code error = co_await file_.resize(in_steps());
    if (is_about_space(error) && step_bytes_ > kPageBytes) {
        // A disk without room for such a step may still hold the chunk. The system may have allocated a part of the step.
        step_bytes_ = kPageBytes;
        error = co_await file_.resize(old_bytes);
        if (!error) error = co_await file_.resize(in_steps());
    }
    file_.resize_latch().release_exclusive();
    if (!error) co_return true;
    journal_.warning(
        fmt::format("{}: cannot grow beyond {} KB: {}. The chain of backups ends.", file_.path(), old_bytes >> 10, ums::error_text(error)));
    co_return false;
}

ums::Task<bool> BackupChain::give_back_room() {
    const std::uint64_t taken_bytes = (end_bytes_ + kPageBytes - 1) / kPageBytes * kPageBytes;
    if (file_.size_bytes() <= taken_bytes) co_return false;
    step_bytes_ = kPageBytes;
    co_await file_.resize_latch().acquire_exclusive(ums::WaitType::file_resize);
    const std::error_code error = co_await file_.resize(taken_bytes);
    file_.resize_latch().release_exclusive();
    co_return !error;
}

ums::Task<bool> BackupChain::append(ChunkKind kind, std::uint32_t set_number, std::span<const std::byte> body) {
    const std::uint64_t used_bytes = sizeof(ChunkHeader) + body.size();
    const std::uint64_t size_bytes = (used_bytes + kBackupAlignmentBytes - 1) / kBackupAlignmentBytes * kBackupAlignmentBytes;
    UMS_ASSERT(size_bytes <= chunk_bytes_max_);
    const bool has_room = co_await make_room(end_bytes_ + size_bytes);
    if (!has_room || run_.is_stopping()) co_return false;
    ChunkHeader header{};
    header.kind = static_cast<std::uint16_t>(kind);
    header.size_bytes = static_cast<std::uint32_t>(size_bytes);
    header.run_id = run_id_;
    header.sequence = chunks_.size() + 1;
    header.used_bytes = static_cast<std::uint32_t>(used_bytes);
    header.set_number = set_number;
    header.chain_number = chain_number_;
    header.write_utc_us = journal_.clock().utc_us();
    if (!body.empty()) std::memcpy(write_memory_.data() + sizeof header, body.data(), body.size());
    Chunk chunk{.offset_bytes = end_bytes_, .size_bytes = header.size_bytes};
    chunk.checksum = finish_chunk(header, write_memory_.data());
    const ums::IoSegment segment{write_memory_.data(), size_bytes};
    IoRetry retry(file_, run_, journal_);
    const bool is_written = co_await retry.write(end_bytes_, {&segment, 1}, ums::WaitType::backupio, OnStop::abandon);
    if (!is_written && !retry.has_reported()) co_return false;
    chunk.is_unknown = !is_written;
    chunks_.push_back(chunk);
    end_bytes_ += size_bytes;
    co_return is_written && !run_.is_stopping();
}

// --- reading ---

bool BackupChain::matches(const Chunk& chunk, const std::byte* bytes) const {
    return is_sound_chunk(bytes, chunk.size_bytes) && read_chunk_header(bytes).checksum == chunk.checksum;
}

ums::Task<bool> BackupChain::read(std::uint32_t begin, std::uint32_t end, const Take& take) {
    bool are_right = true;
    for (std::uint32_t i = begin; i < end; ++i) {
        Chunk& chunk = chunks_.at(i);
        if (run_.is_stopping() || chunk.is_unknown) co_return false;
        const ums::IoSegment segment{read_memory_.data(), chunk.size_bytes};
        stamp_not_read(read_memory_.data(), chunk.size_bytes);
        IoRetry retry(file_, run_, journal_);
        const bool is_read = co_await retry.read(chunk.offset_bytes, {&segment, 1}, ums::WaitType::backupio, OnStop::abandon);
        chunk.is_unknown = !is_read && retry.has_reported();
        if (!is_read) co_return false;
        bool is_right = matches(chunk, read_memory_.data());
        if (!is_right) is_right = co_await diagnose(i, read_memory_.data());
        are_right &= is_right;
        if (!is_right) continue;
        const ChunkHeader header = read_chunk_header(read_memory_.data());
        take(header, {read_memory_.data() + sizeof header, header.used_bytes - sizeof header});
    }
    co_return are_right;
}

// Why `bytes` are not the chunk. A later chunk of the same chain is none that was there before: as in the log, that is a gap.
BackupChain::Fault BackupChain::fault_of(std::uint32_t index, const std::byte* bytes) const {
    if (is_all_zero(bytes, kSectorBytes)) return {FindingKind::log_gap, "zeros came back"};
    if (!is_sound_chunk(bytes, chunks_.at(index).size_bytes)) {
        return {FindingKind::log_block_damaged, "it is damaged: its checksum is wrong"};
    }
    const ChunkHeader header = read_chunk_header(bytes);
    if (header.run_id != run_id_) return {FindingKind::log_stale_block, fmt::format("chunk {} of another run came back", header.sequence)};
    if (header.chain_number != chain_number_) {
        return {FindingKind::log_stale_block, fmt::format("chunk {} of chain {} came back", header.sequence, header.chain_number)};
    }
    // Before a run was continued, its chains had the same numbers.
    const bool has_its_number = header.sequence == std::uint64_t{index} + 1;
    const bool is_later = header.sequence > std::uint64_t{index} + 1;
    return {is_later ? FindingKind::log_gap : FindingKind::log_stale_block,
            fmt::format("{}chunk {} came back", has_its_number ? "another " : "", header.sequence)};
}

// True if a later read was right: then `bytes` holds the chunk. What stays wrong is reported once: the chunk is unknown afterwards.
ums::Task<bool> BackupChain::diagnose(std::uint32_t index, std::byte* bytes) {
    Chunk& chunk = chunks_.at(index);
    const std::vector<std::byte> first(bytes, bytes + chunk.size_bytes);
    Finding finding;
    const Fault fault = fault_of(index, first.data());
    finding.kind = fault.kind;
    Rereader rereader(file_, journal_, chunk.offset_bytes, chunk.size_bytes);
    for (std::uint32_t attempt = 1; attempt <= kRereadsMax && !finding.transient; ++attempt) {
        Reread reread = co_await rereader.read(attempt, first.data());
        finding.transient = reread.has_come() && matches(chunk, rereader.bytes());
        if (finding.transient) reread.result = RereadResult::right;
        finding.rereads.push_back(reread);
    }
    finding.place.file_id = file_.id();
    finding.place.path = file_.path();
    finding.place.is_log = true;
    finding.place.offset_bytes = chunk.offset_bytes;
    finding.place.size_bytes = chunk.size_bytes;
    finding.expected = {.checksum = chunk.checksum};
    finding.received = received_chunk(first.data(), chunk.size_bytes);
    finding.evidence.image = first;
    finding.reads = 1 + static_cast<std::uint32_t>(finding.rereads.size());
    finding.description = fmt::format("Chunk {} of the chain of backups was written and acknowledged, but {}.", index + 1, fault.text);
    finding.reasoning = {fmt::format("The chain must hold chunk {} here, of {} bytes.", index + 1, chunk.size_bytes),
                         finding.transient ? "The fault is transient: a later read returned the right chunk."
                                           : persistence_reason(later_reads_in(finding.rereads), "chunk")};
    const bool is_right = finding.transient;
    if (is_right) std::memcpy(bytes, rereader.bytes(), chunk.size_bytes);
    chunk.is_unknown = !is_right;
    file_.report(std::move(finding));
    co_return is_right;
}

}  // namespace sim
