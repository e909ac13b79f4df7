// The log as a power cut left it, read at the places that the book names: how far it reaches by the rules of docs/durability.md. Shares no
// code with sim/verify, which it is to judge. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "sim/options.hpp"
#include "sim/page/log_layout.hpp"
#include "sim/rehearsal/write_book.hpp"
#include "ums/io/power_cut.hpp"

namespace sim {

// Whether the file begins as the run made it.
[[nodiscard]] bool has_run_signature(const ums::SimulatedFile& file);
// Whether any of the run's files does, without replicas: it shows to which run the rest belongs.
[[nodiscard]] bool is_any_file_signed(const Options& options, const ums::PowerCut& power);

class LeftLog {
public:
    LeftLog(const Options& options, const ums::PowerCut& power, const WriteBook& book);

    // Any of the log files is there.
    [[nodiscard]] bool has_file() const { return has_file_; }
    [[nodiscard]] bool is_empty() const { return left_.empty(); }
    // The newest incarnation of the run that left a block; 0: there is no block.
    [[nodiscard]] std::uint32_t incarnation() const { return incarnation_; }
    [[nodiscard]] bool has(std::uint64_t sequence) const { return left_.count(sequence) != 0; }
    // Up to this block, all had been acknowledged according to some block; 0: none says so.
    [[nodiscard]] std::uint64_t hardened_sequence() const { return hardened_; }
    // The last block of the row; 0: there is no row.
    [[nodiscard]] std::uint64_t end_sequence() const { return end_; }
    [[nodiscard]] std::uint64_t end_lsn() const { return end_ == 0 ? 0 : left_.at(end_).last_lsn; }
    // Where the last complete checkpoint began; 0: there is none.
    [[nodiscard]] std::uint64_t begin_lsn() const { return checkpoint_ ? checkpoint_->begin_lsn : 0; }
    // The first block that recovery needs.
    [[nodiscard]] std::uint64_t needed_sequence() const { return needed_; }
    // The blocks up to `last` that are gone, and are needed, or stood in the VLF that holds the first one that is: no checkpoint freed
    // them.
    [[nodiscard]] std::vector<std::uint64_t> missing_up_to(std::uint64_t last) const;
    // Of a missing block before those that are needed: what is left of its VLF shows it. How many blocks stood before the last one in front
    // of those, nothing says.
    [[nodiscard]] bool shows_kept(std::uint64_t sequence) const { return first_left_ != 0 && sequence + 1 >= first_left_; }
    // Up to `last`, which had been acknowledged, needed, and gone: the first one.
    [[nodiscard]] std::optional<std::uint64_t> lost_sequence(std::uint64_t last) const;
    // The last complete checkpoint promises nothing about the page: it says that a write of it had failed.
    [[nodiscard]] bool is_unknown(const WriteBook::PagePlace& place) const { return are_all_unknown() || unknown_.contains(place); }
    // ... so that a ledger has not been promised this version of it either.
    [[nodiscard]] bool takes_back(const WriteBook::PagePlace& place, std::uint32_t version) const {
        const auto found = unknown_versions_.find(place);
        return are_all_unknown() || (found != unknown_versions_.end() && version <= found->second);
    }
    // ... and about no page, because there are too many of them.
    [[nodiscard]] bool are_all_unknown() const { return checkpoint_ && checkpoint_->unknown_count == kTooManyUnknown; }
    // The pages that it names.
    [[nodiscard]] const std::set<WriteBook::PagePlace>& unknown_pages() const { return unknown_; }
    // Up to where the log file must reach, by the VLFs of its blocks.
    [[nodiscard]] std::uint64_t vlf_end_bytes(std::uint32_t file_id) const;
    // How many pages of the file share one sum of the last complete checkpoint; 1 if there are no sums.
    [[nodiscard]] std::uint32_t region_pages(std::uint32_t file_id) const;

private:
    struct Left {
        std::uint64_t hardened = 0;
        std::uint64_t last_lsn = 0;
    };
    struct Checkpoint {
        std::uint64_t sequence = 0;  // of the block with its end
        std::uint64_t begin_lsn = 0;
        std::uint64_t end_lsn = 0;
        std::uint32_t unknown_count = 0;
    };

    struct NamedPage {
        WriteBook::PagePlace place;
        std::uint32_t version = 0;  // the newest until then
    };

    // The number that follows this one in the row.
    [[nodiscard]] std::uint64_t next(std::uint64_t sequence) const;
    void read_block(const ums::SimulatedFile& file, std::uint64_t sequence, const WriteBook::Block& block);
    void find_end(const WriteBook& book);

    std::vector<std::uint64_t> made_;                 // the numbers of all blocks, left or not
    std::map<std::uint64_t, Left> left_;              // by sequence
    std::map<std::uint64_t, Checkpoint> ends_;        // of checkpoints, by sequence
    std::map<std::uint64_t, std::uint64_t> resumed_;  // by the last block of an incarnation: the first of the next one
    std::map<std::uint32_t, std::map<std::uint64_t, std::uint32_t>> region_pages_;  // by file, then by sequence
    std::map<std::uint32_t, std::uint64_t> vlf_ends_bytes_;                         // by file
    std::map<std::uint64_t, NamedPage> named_unknown_;                              // by LSN of the record
    std::set<WriteBook::PagePlace> unknown_;
    std::map<WriteBook::PagePlace, std::uint32_t> unknown_versions_;
    bool has_file_ = false;
    std::uint32_t incarnation_ = 0;
    std::uint64_t hardened_ = 0;
    std::uint64_t end_ = 0;
    std::uint64_t needed_ = 1;
    std::uint64_t kept_ = 1;        // the first block of the VLF in which the last complete checkpoint began
    std::uint64_t first_left_ = 0;  // the first block of that VLF that is left; 0: none is, or there is no checkpoint
    std::optional<Checkpoint> checkpoint_;
};

}  // namespace sim
