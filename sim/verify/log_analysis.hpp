// What recovery's analysis does with the log that a crash left: finds its end, distinguishes a hole from what was in flight, and collects
// what the records prove about each page. docs/durability.md justifies each step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sim/journal/journal.hpp"
#include "sim/journal/run_state.hpp"
#include "sim/log/log_block_check.hpp"
#include "sim/results.hpp"
#include "sim/verify/file_promises.hpp"
#include "sim/verify/log_extent.hpp"
#include "sim/verify/log_scan.hpp"
#include "sim/verify/missing_places.hpp"
#include "sim/verify/page_bounds.hpp"
#include "sim/verify/page_judge.hpp"
#include "sim/verify/region_sums.hpp"

namespace sim {

// What the log says about one data file.
struct ProvenFile {
    ProvenFile(std::uint64_t begin_lsn, std::uint16_t log_format, std::uint32_t page_count, bool is_signed)
        : bounds(begin_lsn, page_count, is_signed), sums(log_format) {}
    PageBounds bounds;
    RegionSums sums;
    FilePromises promises;
    bool is_made = true;  // otherwise the run was cut off while it created the file, which may hold anything
};

class LogAnalysis {
public:
    // The files and the other references must outlive the object. `promises`: of this run, kept outside the storage; null: there are none.
    LogAnalysis(const std::vector<SimFile*>& log_files, const std::vector<SimFile*>& data_files, std::uint64_t run_id, RunState& run,
                Journal& journal, const Promises* promises = nullptr)
        : log_files_(log_files),
          data_files_(data_files),
          run_id_(run_id),
          run_(run),
          journal_(journal),
          promises_(promises),
          scan_(log_files, run_id, run, journal),
          named_data_files_(data_files.size()) {}

    // Data files that were named but are missing count, too: the log may have changes of that many. Before run().
    void expect_data_files(std::size_t count) { named_data_files_ = count; }

    // Reads the log, and reports what is missing in it. Once. Stops the run if the log has changes of a file that was not named.
    ums::Task<void> run();

    // Passes on the records of the log's unbroken row, in order. After run().
    ums::Task<void> replay(const LogScan::Take& take);
    // Some records could not be passed on, now or before.
    [[nodiscard]] bool is_incomplete() const { return scan_.is_incomplete(); }

    [[nodiscard]] bool is_empty() const { return contents_.blocks.empty(); }
    [[nodiscard]] const LogContents& contents() const { return contents_; }
    [[nodiscard]] const LogExtent& extent() const { return extent_; }
    [[nodiscard]] RecoveredLog recovered() const;
    // Of one of the data files. After run().
    [[nodiscard]] ProvenFile& file(std::uint32_t file_id) { return files_.at(file_id); }
    // All sums of the checkpoint are there, and can be compared.
    [[nodiscard]] bool has_sums() const;
    // Null unless the promises apply to the log that is there: they do not if the run continued without the keeper. After run().
    [[nodiscard]] const Promises* promises() const { return promises_; }
    // Everything that was promised is demanded: the log has taken nothing back. After run().
    [[nodiscard]] bool demands_all() const;
    // Fills in the figures about the log.
    void describe(DurabilityResult& result) const;
    [[nodiscard]] double done_fraction() const { return scan_.done_fraction(); }

private:
    [[nodiscard]] std::uint64_t begin_lsn() const { return extent_.checkpoint ? extent_.checkpoint->begin_lsn : 0; }
    // The row reaches back to where recovery begins.
    [[nodiscard]] bool has_every_change() const { return extent_.checkpoint.has_value() || extent_.first_sequence <= 1; }
    [[nodiscard]] std::uint64_t known_from_lsn() const;
    void take_promises();
    // What stands, or stood, at the place of the first of these blocks could not be read, which has been reported.
    [[nodiscard]] bool may_be_unreadable(const BlockRange& missing) const;
    [[nodiscard]] BlockRange next_after_end() const { return {extent_.last_sequence + 1, extent_.last_sequence + 1}; }
    [[nodiscard]] BlockRange not_there_behind_end() const;
    ums::Task<bool> read_missing_again();
    ums::Task<BlockRange> read_again(BlockRange missing, std::uint32_t attempts);
    ums::Task<bool> read_first_again(const BlockRange& missing, std::uint32_t attempts);
    ums::Task<bool> read_first_again(const BlockRange& missing, const MissingPlace& place, std::uint32_t attempts);
    [[nodiscard]] bool take_late_block(const BlockRange& missing, const MissingPlace& place, const std::byte* bytes, std::uint32_t reads);
    ums::Task<bool> read_behind_end();
    ums::Task<bool> read_first_behind_end(const BlockRange& behind);
    ums::Task<bool> read_first_behind_end(const BlockRange& behind, const MissingPlace& place);
    ums::Task<void> report_missing();
    ums::Task<void> report_if_missing(const BlockRange& missing, bool is_needed);
    ums::Task<void> report_missing(const BlockRange& missing, bool is_needed);
    ums::Task<void> look_at(const BlockRange& missing, const MissingPlace& place, Finding& finding);
    [[nodiscard]] std::string why_unplaced(const BlockRange& missing) const;
    [[nodiscard]] std::string why_kept(bool is_needed) const;
    void report_short_logs();
    [[nodiscard]] bool is_said_by_block() const;
    void release_unpromised();
    void take_record(const LogRecordHeader& header, std::span<const std::byte> body);
    [[nodiscard]] bool has_unnamed_file() const {
        return !unnamed_files_.empty() && files_.size() + unnamed_files_.size() > named_data_files_;
    }
    [[nodiscard]] bool is_of_checkpoint(std::uint64_t lsn) const;
    [[nodiscard]] std::uint32_t promised_incarnation() const { return promises_ == nullptr ? 0 : promises_->section().incarnation; }
    [[nodiscard]] ExpectedBlock expected_at(const BlockRange& missing, const MissingPlace& place) const {
        return {run_id_, missing.first, place.vlf_sequence, place.vlf_sector};
    }
    [[nodiscard]] std::vector<MissingPlace> places_of(const BlockRange& missing) const {
        return places_of_missing(contents_, missing, promised_incarnation());
    }
    [[nodiscard]] std::optional<std::uint64_t> find_in(const BlockRange& missing, const MissingPlace& place, const std::byte* bytes) const;
    [[nodiscard]] SimFile* file_of(std::uint32_t file_id) const;

    const std::vector<SimFile*> log_files_;
    const std::vector<SimFile*> data_files_;
    const std::uint64_t run_id_;
    RunState& run_;
    Journal& journal_;
    const Promises* promises_;
    LogScan scan_;
    LogContents contents_;
    LogExtent extent_;
    // The first missing block of each that was read again in vain, and how often it was read.
    std::map<std::uint64_t, std::uint32_t> gaps_that_stay_;
    std::size_t named_data_files_;
    std::map<std::uint32_t, ProvenFile> files_;
    std::set<std::uint32_t> unnamed_files_;  // mentioned by records; missing files are among them
    std::uint32_t sums_count_ = 0;
};

}  // namespace sim
