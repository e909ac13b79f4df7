// Blocks that are missing in the log that a crash left, or may follow on its end: what a later read returns is taken, what stays missing is
// reported. docs/durability.md says why either is a fault.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/finding.hpp"
#include "sim/journal/journal.hpp"
#include "sim/journal/run_state.hpp"
#include "sim/log/log_block_check.hpp"
#include "sim/verify/log_extent.hpp"
#include "sim/verify/log_scan.hpp"
#include "sim/verify/missing_places.hpp"

namespace sim {

class MissingBlocks {
public:
    // All references must outlive the object. `contents`: what `scan` has found; blocks that come late are added to it. `extent`: that of
    // these contents, which the owner keeps up to date. Used by one task at a time.
    MissingBlocks(const std::vector<SimFile*>& log_files, std::uint64_t run_id, RunState& run, Journal& journal, LogScan& scan,
                  LogContents& contents, const LogExtent& extent)
        : log_files_(log_files), run_id_(run_id), run_(run), journal_(journal), scan_(scan), contents_(contents), extent_(extent) {}

    // Reads again what is missing in the extent, and once more what would follow on its end. Blocks that come are reported, because the
    // first read was wrong, and added to the contents: true, and the extent must be found anew before the next call.
    ums::Task<bool> read_again();
    // Reports what is missing in the extent, after a last look.
    ums::Task<void> report();

    // What stands, or stood, at the place of the first of these blocks could not be read, which has been reported.
    [[nodiscard]] bool may_be_unreadable(const BlockRange& missing) const;

private:
    ums::Task<bool> read_gaps_again();
    ums::Task<bool> read_behind_end();
    [[nodiscard]] BlockRange not_there_behind_end() const;
    // One block after the other, as long as they come. Returns those that stay missing. `attempts`: how often each place is read again, as
    // in a diagnosis; empty: once, like anything else, because nothing says yet that a block is missing.
    ums::Task<BlockRange> take_those_that_come(BlockRange missing, std::optional<std::uint32_t> attempts);
    // From the first of the places where it may be that has it.
    ums::Task<bool> take_first(const BlockRange& missing, std::optional<std::uint32_t> attempts);
    // These read a place, and take the first of the blocks if it is there. False if it is not.
    ums::Task<bool> read_patiently(const BlockRange& missing, const MissingPlace& place, std::uint32_t attempts);
    ums::Task<bool> read_once(const BlockRange& behind, const MissingPlace& place);
    [[nodiscard]] bool take_late_block(const BlockRange& missing, const MissingPlace& place, const std::byte* bytes, std::uint32_t reads);
    [[nodiscard]] std::optional<std::uint64_t> find_in(const BlockRange& missing, const MissingPlace& place, const std::byte* bytes) const;

    ums::Task<void> report_if_missing(const BlockRange& missing, bool is_needed);
    ums::Task<void> report_gap(const BlockRange& missing, bool is_needed);
    ums::Task<void> look_at(const BlockRange& missing, const MissingPlace& place, Finding& finding);
    [[nodiscard]] std::string why_unplaced(const BlockRange& missing) const;
    [[nodiscard]] std::string why_kept(bool is_needed) const;
    [[nodiscard]] bool is_said_by_block() const;

    [[nodiscard]] ExpectedBlock expected_at(const BlockRange& missing, const MissingPlace& place) const {
        return {run_id_, missing.first, place.vlf_sequence, place.vlf_sector};
    }
    [[nodiscard]] SimFile* file_of(std::uint32_t file_id) const;

    const std::vector<SimFile*> log_files_;
    const std::uint64_t run_id_;
    RunState& run_;
    Journal& journal_;
    LogScan& scan_;
    LogContents& contents_;
    const LogExtent& extent_;
    // The first missing block of each that was read again in vain, and how often it was read.
    std::map<std::uint64_t, std::uint32_t> gaps_that_stay_;
};

}  // namespace sim
