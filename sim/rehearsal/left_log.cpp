#include "sim/rehearsal/left_log.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include "sim/files/file_names.hpp"
#include "sim/log/log_block_check.hpp"
#include "sim/page/page_codec.hpp"

namespace sim {

bool has_run_signature(const ums::SimulatedFile& file) {
    if (file.size_bytes() < kPageBytes) return false;
    alignas(8) std::byte bytes[kPageBytes];
    file.read(0, bytes, sizeof bytes);
    return has_signature(bytes) && read_header(bytes).checksum == page_checksum(bytes);
}

bool is_any_file_signed(const Options& options, const ums::PowerCut& power) {
    return std::any_of(options.files.begin(), options.files.end(), [&](const FileOptions& file) {
        const auto found = power.files.find(file.path);
        return !is_transient(file, options.files) && found != power.files.end() && has_run_signature(*found->second);
    });
}

LeftLog::LeftLog(const Options& options, const ums::PowerCut& power, const WriteBook& book) {
    has_file_ = std::any_of(options.files.begin(), options.files.end(),
                            [&power](const FileOptions& file) { return file.is_log && power.files.contains(file.path); });
    for (const auto& [sequence, block] : book.blocks()) {
        made_.push_back(sequence);
        const auto file = power.files.find(options.files.at(block.file_id - 1).path);
        if (file != power.files.end()) read_block(*file->second, sequence, block);
    }
    find_end(book);
}

void LeftLog::read_block(const ums::SimulatedFile& file, std::uint64_t sequence, const WriteBook::Block& block) {
    if (block.offset_bytes + block.size_bytes > file.size_bytes()) return;
    std::vector<std::byte> bytes(block.size_bytes);
    file.read(block.offset_bytes, bytes.data(), bytes.size());
    if (!is_sound_block(bytes.data(), bytes.size())) return;
    const LogBlockHeader header = read_block_header(bytes.data());
    if (header.sequence != sequence) return;  // another block is there now
    incarnation_ = std::max(incarnation_, header.incarnation);
    const std::uint64_t vlf_rest_bytes = std::uint64_t{header.vlf_sectors - header.vlf_sector} * kSectorBytes;
    std::uint64_t& vlf_end_bytes = vlf_ends_bytes_[block.file_id];
    vlf_end_bytes = std::max(vlf_end_bytes, block.offset_bytes + vlf_rest_bytes);
    Left& left = left_[sequence];
    left.hardened = header.hardened_sequence;
    static_cast<void>(for_each_record(bytes.data(), [&](const LogRecordHeader& record, std::span<const std::byte> body) {
        left.last_lsn = record.lsn;
        CheckpointEnd end;
        ResumePoint resume;
        const auto kind = static_cast<LogRecordKind>(record.kind);
        if (kind == LogRecordKind::checkpoint_end && read_body(body, end)) {
            ends_[sequence] = {sequence, end.begin_lsn, record.lsn, end.unknown_count};
        }
        if (kind == LogRecordKind::page_unknown) named_unknown_[record.lsn] = {{record.file_id, record.page_id}, record.version};
        if (kind == LogRecordKind::resume && read_body(body, resume)) resumed_[resume.last_sequence] = sequence;
        if (kind == LogRecordKind::checkpoint_sums) region_pages_[record.file_id][sequence] = record.version;
    }));
}

std::uint64_t LeftLog::next(std::uint64_t sequence) const {
    const auto found = resumed_.find(sequence);
    return found == resumed_.end() ? sequence + 1 : found->second;
}

void LeftLog::find_end(const WriteBook& book) {
    for (const auto& [sequence, left] : left_) hardened_ = std::max(hardened_, left.hardened);
    end_ = hardened_;
    while (has(next(end_))) end_ = next(end_);
    const auto behind = ends_.upper_bound(end_);
    if (behind != ends_.begin()) checkpoint_ = std::prev(behind)->second;
    for (const auto& [lsn, named] : named_unknown_) {
        if (!checkpoint_ || lsn <= checkpoint_->begin_lsn || lsn >= checkpoint_->end_lsn) continue;
        unknown_.insert(named.place);
        unknown_versions_[named.place] = named.version;
    }
    for (const auto& [sequence, block] : book.blocks()) {
        const bool is_of_vlf = checkpoint_ && vlf_of_lsn(block.first_lsn) == vlf_of_lsn(checkpoint_->begin_lsn);
        if (is_of_vlf && has(sequence) && first_left_ == 0) first_left_ = sequence;
    }
    std::uint32_t kept_vlf = 0;
    for (const auto& [sequence, block] : book.blocks()) {
        if (!checkpoint_ || block.first_lsn > checkpoint_->begin_lsn) continue;
        needed_ = sequence;
        if (kept_vlf != vlf_of_lsn(block.first_lsn)) kept_ = sequence;
        kept_vlf = vlf_of_lsn(block.first_lsn);
    }
    // Recovery gets no further than the blocks before a hole.
    if (const auto lost = lost_sequence(hardened_)) {
        const auto before = left_.lower_bound(*lost);
        end_ = before != left_.begin() && next(std::prev(before)->first) == *lost ? std::prev(before)->first : 0;
    }
}

std::vector<std::uint64_t> LeftLog::missing_up_to(std::uint64_t last) const {
    std::vector<std::uint64_t> missing;
    for (const std::uint64_t sequence : made_) {
        if (sequence >= kept_ && sequence <= last && !has(sequence)) missing.push_back(sequence);
    }
    return missing;
}

std::optional<std::uint64_t> LeftLog::lost_sequence(std::uint64_t last) const {
    const std::vector<std::uint64_t> missing = missing_up_to(last);
    const auto lost = std::find_if(missing.begin(), missing.end(), [this](std::uint64_t sequence) { return sequence >= needed_; });
    return lost == missing.end() ? std::nullopt : std::optional(*lost);
}

std::uint64_t LeftLog::vlf_end_bytes(std::uint32_t file_id) const {
    const auto found = vlf_ends_bytes_.find(file_id);
    return found == vlf_ends_bytes_.end() ? 0 : found->second;
}

std::uint32_t LeftLog::region_pages(std::uint32_t file_id) const {
    const auto file = region_pages_.find(file_id);
    if (file == region_pages_.end() || !checkpoint_) return 1;
    const auto behind = file->second.upper_bound(checkpoint_->sequence);
    return behind == file->second.begin() ? 1 : std::prev(behind)->second;
}

}  // namespace sim
