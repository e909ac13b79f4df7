#include "sim/rehearsal/lost_log_blocks.hpp"

#include <algorithm>

namespace sim {

void LostLogBlocks::written(std::uint64_t sequence) { newest_sequence_ = std::max(newest_sequence_, sequence); }

std::uint64_t LostLogBlocks::newest_found() const {
    const auto is_gone = [this](std::uint64_t sequence) {
        return spoilt_.contains(sequence) ||
               std::any_of(blocks_.begin(), blocks_.end(), [sequence](const LostLogBlock& lost) { return lost.sequence == sequence; });
    };
    std::uint64_t newest = newest_sequence_;
    while (newest > 0 && is_gone(newest)) --newest;
    return newest;
}

std::vector<std::uint64_t> LostLogBlocks::missed_by(const std::string& path, const ums::IoRequest& read) {
    std::vector<std::uint64_t> faults;
    const std::uint64_t end_bytes = read.offset_bytes + read.size_bytes;
    for (LostLogBlock& block : blocks_) {
        const bool is_here = block.range.path == path && block.range.offset_bytes < end_bytes &&
                             read.offset_bytes < block.range.offset_bytes + block.range.size_bytes;
        if (!is_here || block.is_missed) continue;
        block.is_missed = true;
        faults.push_back(block.fault);
    }
    return faults;
}

const LostLogBlock* LostLogBlocks::find(std::uint64_t fault, std::uint64_t sequence) const {
    const auto block = std::find_if(blocks_.begin(), blocks_.end(), [fault, sequence](const LostLogBlock& lost) {
        return lost.fault == fault && lost.sequence == sequence;
    });
    return block == blocks_.end() ? nullptr : &*block;
}

// Blocks arrive in any order, so a sound one may follow a lost one. The end is what is lost with no sound block behind it.
bool LostLogBlocks::misses_updates_at_end(std::uint64_t fault) const {
    bool misses_updates = false;
    for (std::uint64_t sequence = newest_sequence_;; --sequence) {
        const LostLogBlock* const block = find(fault, sequence);
        if (block == nullptr) return misses_updates;
        misses_updates |= block->has_updates && block->is_missed;
    }
}

bool LostLogBlocks::misses_before_end(std::uint64_t fault) const {
    std::uint64_t sound = newest_sequence_;
    while (find(fault, sound) != nullptr) --sound;
    return std::any_of(blocks_.begin(), blocks_.end(),
                       [fault, sound](const LostLogBlock& lost) { return lost.fault == fault && lost.sequence < sound && lost.is_missed; });
}

}  // namespace sim
