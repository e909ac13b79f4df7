#include "sim/backup/log_copy.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "ums/sched/event.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

void LogCopy::begin() {
    mark_ = parts_.context.log.mark_and_hold();
    is_going_on_ = true;
    is_broken_ = false;
}

void LogCopy::end() {
    parts_.context.log.release_hold();
    is_going_on_ = false;
}

// A change whose records are only partly logged would be counted by one side only.
ums::Task<LogMark> LogCopy::mark_whole() {
    LogMark mark = parts_.context.log.mark();
    while (mark.cuts_changes && !parts_.context.run.is_stopping()) {
        co_await ums::sleep_until(parts_.context.now_ns() + ums::kNsPerMs);
        mark = parts_.context.log.mark();
    }
    co_return mark;
}

ums::Task<bool> LogCopy::copy(std::uint32_t set_number) {
    set_number_ = set_number;
    LogMark end = co_await mark_whole();
    const bool is_hard = co_await parts_.context.log.harden(end.last_lsn);
    if (!is_hard || parts_.context.run.is_stopping()) co_return false;
    is_broken_ = !parts_.context.log.pin_hold();
    if (is_broken_) co_return false;
    bool is_copied = false;
    std::exception_ptr mistake;
    try {
        is_copied = co_await copy_to(end);
    } catch (...) {
        mistake = std::current_exception();  // checkpoints must not wait forever
    }
    parts_.context.log.unpin_hold(is_copied ? end.vlf_sequence : mark_.vlf_sequence);
    if (mistake) std::rethrow_exception(mistake);
    if (is_copied) mark_ = std::move(end);
    co_return is_copied;
}

ums::Task<bool> LogCopy::copy_to(const LogMark& end) {
    std::vector<VirtualLogFile> vlfs = parts_.context.log.used_vlfs();
    std::erase_if(vlfs, [&](const VirtualLogFile& vlf) { return vlf.sequence < mark_.vlf_sequence || vlf.sequence > end.vlf_sequence; });
    std::sort(vlfs.begin(), vlfs.end(), [](const VirtualLogFile& a, const VirtualLogFile& b) { return a.sequence < b.sequence; });
    for (VirtualLogFile& vlf : vlfs) {
        const bool is_first = vlf.sequence == mark_.vlf_sequence;
        if (vlf.sequence == end.vlf_sequence) vlf.end_bytes = end.at_bytes;
        const std::uint64_t begin_bytes = is_first ? mark_.at_bytes : 0;
        if (begin_bytes >= vlf.end_bytes) continue;
        const bool is_read =
            co_await reader_.read_blocks(vlf, begin_bytes, is_first ? mark_.next_block : vlf.first_block, ums::WaitType::backupio, *this);
        if (!is_read) co_return false;
    }
    co_return true;
}

void LogCopy::take(const std::byte* block, std::uint32_t size_bytes) {
    blocks_.insert(blocks_.end(), block, block + size_bytes);
    block_ends_.push_back(blocks_.size());
}

// In chunks of whole blocks.
ums::Task<bool> LogCopy::has_taken() {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool is_written = true;
    for (std::size_t i = 0; i < block_ends_.size() && is_written; ++i) {
        end = block_ends_[i];
        const bool is_last = i + 1 == block_ends_.size();
        if (!is_last && block_ends_[i + 1] - begin <= parts_.chain.body_bytes_max()) continue;
        is_written = co_await parts_.chain.append(ChunkKind::log, set_number_, {blocks_.data() + begin, end - begin});
        copied_bytes_ += end - begin;
        begin = end;
    }
    blocks_.clear();
    block_ends_.clear();
    co_return is_written;
}

}  // namespace sim
