// What a FaultInjector does to blocks of the log.
#include <algorithm>
#include <cstring>

#include "sim/log/log_layout.hpp"
#include "sim/rehearsal/fault_injector.hpp"

namespace sim {

namespace {

LogBlockHeader header_of(const std::vector<std::byte>& block) {
    LogBlockHeader header;
    std::memcpy(&header, block.data(), sizeof header);
    return header;
}

// Does the block hold changes of pages?
bool has_updates(const std::vector<std::byte>& block, const LogBlockHeader& header) {
    std::uint32_t offset = sizeof header;
    for (std::uint32_t i = 0; i < header.record_count && offset + sizeof(LogRecordHeader) <= block.size(); ++i) {
        LogRecordHeader record;
        std::memcpy(&record, block.data() + offset, sizeof record);
        if (record.kind == static_cast<std::uint16_t>(LogRecordKind::page_update)) return true;
        offset += std::max<std::uint32_t>(record.size_bytes, sizeof record);
    }
    return false;
}

}  // namespace

void FaultInjector::finish_log_write(FaultyFile& file, const ums::IoRequest& request) {
    std::vector<std::byte> block(request.size_bytes);
    if (block.size() > kLogBlockBytesMax || request.owner == nullptr) return;
    copy_from_request(request, request.offset_bytes, block.data(), block.size());
    const LogBlockHeader header = header_of(block);
    if (header.magic != kLogMagic || header.size_bytes != block.size()) return;
    newest_block_ = std::max(newest_block_, header.sequence);
    if (log_tail_fault_ != 0) {
        file.put_wrong(request.offset_bytes, std::vector<std::byte>(block.size()).data(), block.size(), log_tail_fault_);
        const FaultRange range{file.path(), request.offset_bytes, request.size_bytes};
        lost_blocks_.push_back({log_tail_fault_, header.sequence, has_updates(block, header), range});
        faults_[log_tail_fault_ - 1].more.push_back(range);
        return;
    }
    for (FaultPlan& plan : plans_) {
        if (!is_log_fault(plan.kind) || !draws(plan)) continue;
        --plan.count_max;
        spoil_log_block(file, request, plan.kind);
        return;
    }
}

void FaultInjector::spoil_log_block(FaultyFile& file, const ums::IoRequest& request, FindingKind kind) {
    std::vector<std::byte> block(request.size_bytes);
    copy_from_request(request, request.offset_bytes, block.data(), block.size());
    const LogBlockHeader header = header_of(block);
    const bool updates = has_updates(block, header);
    std::string what;
    switch (kind) {
        case FindingKind::log_block_damaged: damage_block(block.data(), block.size(), prng_, what); break;
        case FindingKind::log_stale_block: age_block(block.data(), block.size(), prng_, what); break;
        default:
            what = kind == FindingKind::log_gap ? "a log block is missing" : "the log is missing from this block on";
            std::fill(block.begin(), block.end(), std::byte{0});
    }
    const InjectedFault& fault = add(kind, {&file, request.offset_bytes, request.size_bytes}, false, what);
    file.put_wrong(request.offset_bytes, block.data(), block.size(), fault.number);
    if (kind == FindingKind::log_block_damaged) return;
    lost_blocks_.push_back({fault.number, header.sequence, updates, {file.path(), request.offset_bytes, request.size_bytes}});
    if (kind == FindingKind::wal_violation) log_tail_fault_ = fault.number;
}

void FaultInjector::note_missed_blocks(const FaultyFile& file, const ums::IoRequest& request) {
    const std::uint64_t end_bytes = request.offset_bytes + request.size_bytes;
    for (LostBlock& block : lost_blocks_) {
        const bool is_here = block.range.path == file.path() && block.range.offset_bytes < end_bytes &&
                             request.offset_bytes < block.range.offset_bytes + block.range.size_bytes;
        if (!is_here || block.is_missed) continue;
        block.is_missed = true;
        name_log_fault(faults_[block.fault - 1]);
    }
}

// A log that ends too early is a violation of the write-ahead rule if pages have changes that stood behind its end; a hole with more log
// behind it, or an end that misses nothing but marks, is a gap.
void FaultInjector::name_log_fault(InjectedFault& fault) {
    bool misses_updates = false;
    // Blocks arrive in any order: one may stand behind a lost one. The tail is what is lost without one behind it.
    std::uint64_t last_there = newest_block_;
    for (;; --last_there) {
        const auto at_end = std::find_if(lost_blocks_.begin(), lost_blocks_.end(), [&](const LostBlock& block) {
            return block.fault == fault.number && block.sequence == last_there;
        });
        if (at_end == lost_blocks_.end()) break;
        misses_updates |= at_end->has_updates && at_end->is_missed;
    }
    if (misses_updates) {
        fault.expected = FindingKind::wal_violation;
    } else if (fault.kind == FindingKind::wal_violation) {
        fault.expected = FindingKind::log_gap;
    }
}

}  // namespace sim
