#include "sim/verify/log_extent.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sim/log/virtual_log_files.hpp"
#include "sim/page/log_layout.hpp"

namespace sim {

namespace {

// Of several divisions that would give VLFs of this length, the one of the smallest file.
std::uint64_t least_ring_bytes(std::uint64_t vlf_bytes) {
    constexpr std::uint64_t kRoundingBytes = 4096;
    for (const std::uint64_t count : {4U, 8U, 16U}) {
        const std::uint64_t bytes = kPageBytes + count * vlf_bytes;
        if (vlf_count_for(bytes) == count || vlf_count_for(bytes + count * kRoundingBytes) == count) return bytes;
    }
    return kPageBytes + vlf_bytes;
}

// Blocks behind the end of an incarnation that the next one went on without: what they say is of a history that did not take place.
class DeadBlocks {
public:
    explicit DeadBlocks(std::vector<ResumeMark> resumes) {
        std::sort(resumes.begin(), resumes.end(), [](const ResumeMark& a, const ResumeMark& b) { return a.sequence > b.sequence; });
        for (const ResumeMark& resume : resumes) {
            if (!contains(resume.sequence)) alive_.push_back(resume);
        }
    }
    [[nodiscard]] bool contains(std::uint64_t sequence) const {
        return std::any_of(alive_.begin(), alive_.end(),
                           [sequence](const ResumeMark& resume) { return sequence > resume.last_sequence && sequence < resume.sequence; });
    }

private:
    std::vector<ResumeMark> alive_;
};

// What an owner wrote who did not know that a later one had taken over: its number lies behind the first ones of a newer incarnation.
class UnawareBlocks {
public:
    explicit UnawareBlocks(const std::vector<LogBlockPlace>& blocks) {
        for (const LogBlockPlace& block : blocks) {
            if (begins_.empty() || block.incarnation > begins_.back().second) begins_.emplace_back(block.sequence, block.incarnation);
        }
    }
    [[nodiscard]] bool contains(std::uint64_t sequence, std::uint32_t incarnation) const {
        return std::any_of(begins_.begin(), begins_.end(),
                           [&](const auto& begin) { return begin.first <= sequence && begin.second > incarnation; });
    }

private:
    std::vector<std::pair<std::uint64_t, std::uint32_t>> begins_;  // of each incarnation: its first number
};

LogContents without_unaware_blocks(LogContents contents) {
    const UnawareBlocks unaware(contents.blocks);
    const auto is_unaware = [&unaware](const auto& each) { return unaware.contains(each.sequence, each.incarnation); };
    std::erase_if(contents.blocks, is_unaware);
    std::erase_if(contents.checkpoints, is_unaware);
    std::erase_if(contents.resumes, is_unaware);
    return contents;
}

LogContents without_dead_blocks(LogContents contents) {
    const DeadBlocks dead(contents.resumes);
    const auto is_dead = [&dead](const auto& each) { return dead.contains(each.sequence); };
    std::erase_if(contents.blocks, is_dead);
    std::erase_if(contents.checkpoints, is_dead);
    std::erase_if(contents.resumes, is_dead);
    return contents;
}

class ExtentFinder {
public:
    explicit ExtentFinder(const LogContents& contents)
        : contents_(contents), blocks_(contents.blocks), ending_{blocks_.end(), blocks_.end()} {}

    LogExtent find() {
        extent_.hardened_sequence = contents_.promised_sequence;
        for (const LogBlockPlace& block : blocks_) {
            extent_.hardened_sequence = std::max(extent_.hardened_sequence, block.hardened_sequence);
        }
        const CheckpointMark* checkpoint = last_needed_checkpoint();
        const std::uint64_t needed = checkpoint == nullptr ? 1 : sequence_of(checkpoint->begin_lsn);
        find_missing(needed, extent_.hardened_sequence, extent_.missing);
        if (checkpoint != nullptr) find_missing_unneeded(vlf_of_lsn(checkpoint->begin_lsn), needed);
        extent_.last_sequence = extent_.has_hole() ? extent_.missing.front().first - 1 : end_of_row(needed);
        std::erase_if(extent_.missing, [this](const BlockRange& missing) { return may_have_been_given_up(missing); });
        describe_row();
        checkpoint =
            last_checkpoint([this](const CheckpointMark& mark) { return mark.sequence <= extent_.last_sequence && is_whole(mark); });
        if (checkpoint != nullptr && sequence_of(checkpoint->begin_lsn) >= extent_.first_sequence) extent_.checkpoint = *checkpoint;
        return std::move(extent_);
    }

private:
    using Iterator = std::vector<LogBlockPlace>::const_iterator;

    // Where an incarnation ends, and what is known of that.
    struct Ending {
        Iterator first;                  // a block of the incarnation
        Iterator later;                  // the first block behind that one that is of a later incarnation
        bool is_resume_missing = false;  // the block that says what the later one went on from
        std::uint64_t hardened = 0;      // if so: how far the incarnation was hardened, according to other blocks
    };

    [[nodiscard]] Iterator from(std::uint64_t sequence) const { return first_from(blocks_, sequence); }
    [[nodiscard]] bool has(std::uint64_t sequence) const {
        const Iterator found = from(sequence);
        return found != blocks_.end() && found->sequence == sequence;
    }
    // The number that follows on the block of this one.
    [[nodiscard]] std::uint64_t next(std::uint64_t sequence) const {
        for (const ResumeMark& resume : contents_.resumes) {
            if (resume.last_sequence == sequence && resume.sequence > sequence) return resume.sequence;
        }
        return sequence + 1;
    }
    // The last block of the unbroken row from `sequence` on; 0 if that one is not there.
    [[nodiscard]] std::uint64_t end_of_row(std::uint64_t sequence) const {
        if (!has(sequence)) return 0;
        while (has(next(sequence))) sequence = next(sequence);
        return sequence;
    }
    template <typename Predicate>
    [[nodiscard]] const CheckpointMark* last_checkpoint(Predicate is_meant) const {
        const CheckpointMark* last = nullptr;
        for (const CheckpointMark& mark : contents_.checkpoints) {
            if ((last == nullptr || mark.sequence > last->sequence) && is_meant(mark)) last = &mark;
        }
        return last;
    }
    // What recovery needs begins there. A checkpoint of which a block is missing counts if it had been acknowledged: what stands before it
    // may have been written over. One that was in flight has freed nothing yet.
    [[nodiscard]] const CheckpointMark* last_needed_checkpoint() const {
        return last_checkpoint([this](const CheckpointMark& mark) { return mark.sequence <= extent_.hardened_sequence || is_whole(mark); });
    }
    // All blocks from its begin to its end are there.
    [[nodiscard]] bool is_whole(const CheckpointMark& mark) const {
        std::uint64_t sequence = sequence_of(mark.begin_lsn);
        while (has(sequence) && sequence < mark.sequence) sequence = next(sequence);
        return has(sequence) && sequence == mark.sequence;
    }
    // Of the block that has, or had, the record: the one behind those with smaller LSNs.
    [[nodiscard]] std::uint64_t sequence_of(std::uint64_t lsn) const {
        const Iterator found =
            std::partition_point(blocks_.begin(), blocks_.end(), [lsn](const LogBlockPlace& block) { return block.last_lsn < lsn; });
        if (found != blocks_.end() && found->first_lsn <= lsn) return found->sequence;
        return next(found == blocks_.begin() ? 0 : std::prev(found)->sequence);
    }
    void find_missing(std::uint64_t sequence, std::uint64_t last, std::vector<BlockRange>& missing) const {
        while (sequence <= last) {
            const Iterator there = from(sequence);
            const std::uint64_t until = there == blocks_.end() ? last + 1 : std::min(there->sequence, last + 1);
            if (until > sequence) missing.push_back({sequence, until - 1});
            sequence = until <= last ? next(until) : until;
        }
    }
    // In flight when a run was cut off, and given up when it was resumed, but the block that says so is missing: then only what is said of
    // the incarnation before it tells what had been acknowledged there. The gap with that block stays.
    [[nodiscard]] bool may_have_been_given_up(const BlockRange& missing) {
        const Iterator behind = from(missing.last + 1);
        if (behind == blocks_.end() || behind->incarnation == blocks_.back().incarnation) return false;
        // Gaps of the same incarnation, of which there may be many, have the same answer.
        const bool is_known = ending_.first <= behind && behind < ending_.later && ending_.first->incarnation == behind->incarnation;
        if (!is_known) ending_ = find_ending(behind);
        return ending_.is_resume_missing && ending_.hardened < missing.first;
    }
    [[nodiscard]] Ending find_ending(Iterator first) const {
        const Iterator later =
            std::find_if(first, blocks_.end(), [first](const LogBlockPlace& block) { return block.incarnation > first->incarnation; });
        if (later == blocks_.end()) return {first, later};
        const std::uint64_t last = std::prev(later)->sequence;
        const bool is_resume_there = std::any_of(contents_.resumes.begin(), contents_.resumes.end(), [&](const ResumeMark& resume) {
            return resume.sequence > last && resume.sequence <= later->sequence;
        });
        if (is_resume_there || later->sequence == last + 1) return {first, later};
        std::uint64_t hardened = contents_.promised_sequence <= last ? contents_.promised_sequence : 0;
        for (const LogBlockPlace& block : blocks_) {
            if (block.hardened_sequence <= last) hardened = std::max(hardened, block.hardened_sequence);
        }
        return {first, later, true, hardened};
    }
    // A checkpoint frees no more than the VLFs before the one in which it began: what stands there before its begin was not overwritten.
    // How many blocks preceded the first one that is left of the VLF is unknown, unless it stands at the beginning.
    void find_missing_unneeded(std::uint32_t vlf_sequence, std::uint64_t needed) {
        const Iterator first = std::find_if(blocks_.begin(), blocks_.end(), [vlf_sequence](const LogBlockPlace& block) {
            return vlf_of_lsn(block.first_lsn) == vlf_sequence;
        });
        if (first == blocks_.end()) return;
        const std::uint64_t begin = first->vlf_sector == 0 ? first->sequence : first->sequence - 1;
        find_missing(begin, std::min(needed - 1, extent_.hardened_sequence), extent_.missing_unneeded);
    }
    // The number on which the block of this one follows.
    [[nodiscard]] std::uint64_t before(std::uint64_t sequence) const {
        for (const ResumeMark& resume : contents_.resumes) {
            if (resume.sequence == sequence) return resume.last_sequence;
        }
        return sequence - 1;
    }
    void describe_row() {
        const std::uint64_t last = extent_.last_sequence;
        extent_.blocks_behind = static_cast<std::uint64_t>(blocks_.end() - from(last + 1));
        if (!has(last)) {
            extent_.last_sequence = 0;
            return;
        }
        extent_.last_lsn = from(last)->last_lsn;
        for (std::uint64_t sequence = last; has(sequence); sequence = before(sequence)) {
            ++extent_.blocks_in_row;
            extent_.first_sequence = sequence;
            const bool goes_on = !extent_.row.empty() && extent_.row.back().first == sequence + 1;
            if (!goes_on) extent_.row.push_back({sequence, sequence});
            extent_.row.back().first = sequence;
        }
        std::reverse(extent_.row.begin(), extent_.row.end());
    }

    const LogContents& contents_;
    const std::vector<LogBlockPlace>& blocks_;
    LogExtent extent_;
    Ending ending_;  // the one that was found last
};

}  // namespace

std::vector<LogBlockPlace>::const_iterator first_from(const std::vector<LogBlockPlace>& blocks, std::uint64_t sequence) {
    return std::lower_bound(blocks.begin(), blocks.end(), sequence,
                            [](const LogBlockPlace& block, std::uint64_t value) { return block.sequence < value; });
}

LogExtent find_extent(const LogContents& contents) {
    if (contents.resumes.empty()) return ExtentFinder(contents).find();
    const LogContents living = without_dead_blocks(without_unaware_blocks(contents));
    return ExtentFinder(living).find();
}

std::uint64_t least_log_bytes(const LogContents& contents, std::uint32_t file_id) {
    std::uint64_t least_bytes = 0;
    for (const LogBlockPlace& block : contents.blocks) {
        if (block.file_id != file_id) continue;
        const std::uint64_t vlf_begin = block.offset_bytes - std::uint64_t{block.vlf_sector} * kSectorBytes;
        const std::uint64_t vlf_bytes = std::uint64_t{block.vlf_sectors} * kSectorBytes;
        least_bytes = std::max(least_bytes, vlf_begin == kPageBytes ? least_ring_bytes(vlf_bytes) : vlf_begin + vlf_bytes);
    }
    return least_bytes;
}

}  // namespace sim
