// What recovery's analysis does with the log that a crash left: finds its end, distinguishes a hole from what was in flight, and collects
// what the records prove about each page. docs/durability.md justifies each step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "sim/journal/journal.hpp"
#include "sim/journal/run_state.hpp"
#include "sim/options.hpp"
#include "sim/results.hpp"
#include "sim/verify/file_promises.hpp"
#include "sim/verify/log_extent.hpp"
#include "sim/verify/log_scan.hpp"
#include "sim/verify/missing_blocks.hpp"
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

// How many of its pages are never cut off, whatever a missing part of the log says. `bounds`: of the file; `pages`: that it has, for a log
// that does not mention its size. Pure.
[[nodiscard]] std::uint32_t pages_that_stay(const FileOptions& file, const PageBounds& bounds, std::uint32_t pages);

class LogAnalysis {
public:
    // The files and the other references must outlive the object. `promises`: of this run, kept outside the storage; null: there are none.
    LogAnalysis(const std::vector<SimFile*>& log_files, const std::vector<SimFile*>& data_files, std::uint64_t run_id, RunState& run,
                Journal& journal, const Promises* promises = nullptr)
        : log_files_(log_files),
          data_files_(data_files),
          run_id_(run_id),
          run_(run),
          promises_(promises),
          scan_(log_files, run_id, run, journal),
          missing_blocks_(log_files, run_id, run, journal, scan_, contents_, extent_),
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
    // What follows on the end of the log could not be read.
    [[nodiscard]] bool may_hide_blocks_at_end() const {
        return missing_blocks_.may_be_unreadable({extent_.last_sequence + 1, extent_.last_sequence + 1});
    }
    void report_short_logs();
    void release_unpromised();
    void take_record(const LogRecordHeader& header, std::span<const std::byte> body);
    [[nodiscard]] bool has_unnamed_file() const {
        return !unnamed_files_.empty() && files_.size() + unnamed_files_.size() > named_data_files_;
    }
    [[nodiscard]] bool is_of_checkpoint(std::uint64_t lsn) const;

    const std::vector<SimFile*> log_files_;
    const std::vector<SimFile*> data_files_;
    const std::uint64_t run_id_;
    RunState& run_;
    const Promises* promises_;
    LogScan scan_;
    LogContents contents_;
    LogExtent extent_;
    MissingBlocks missing_blocks_;
    std::size_t named_data_files_;
    std::map<std::uint32_t, ProvenFile> files_;
    std::set<std::uint32_t> unnamed_files_;  // mentioned by records; missing files are among them
    std::uint32_t sums_count_ = 0;
};

}  // namespace sim
