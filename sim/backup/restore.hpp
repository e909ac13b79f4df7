// RESTORE: the last full backup of a chain, the last differential one after it, and the log up to the end of the chain become new files,
// which must be what the data files were at that moment. What to do is read from the chain; the expected result comes from the run's
// memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/backup/backup_chain.hpp"
#include "sim/backup/backup_parts.hpp"
#include "sim/backup/log_redo.hpp"
#include "sim/backup_results.hpp"

namespace sim {

class Restore {
public:
    // `sets`: a chain, beginning with a full backup.
    Restore(BackupParts& parts, std::span<const BackupSet> sets, BackupResult& result) : parts_(parts), sets_(sets), result_(result) {}

    // False if it could not be done: a fault was reported, a warning says why, or the run stops.
    ums::Task<bool> run();

private:
    // Adjacent pages, with what they are to be.
    struct Redone {
        std::size_t source = 0;
        std::uint32_t first_page = 0;
        std::vector<PageLedger::Entry> entries;
    };

    [[nodiscard]] const BackupSet& base_of_log() const;
    ums::Task<bool> read_chain();
    void take_chunk(const ChunkHeader& header, std::span<const std::byte> body);
    void take_log(std::span<const std::byte> blocks);
    [[nodiscard]] std::size_t source_of(std::uint32_t file_id) const;
    void drop_cut_pages();
    ums::Task<bool> make_files();
    ums::Task<bool> write_pages(std::vector<PageRun> runs);
    ums::Task<void> write_some(std::span<const PageRun> runs);
    ums::Task<bool> write_run(const PageRun& run, PageTransfers& transfers, std::byte* buffer);
    ums::Task<bool> redo();
    ums::Task<void> redo_some(std::span<const Redone> changes);
    ums::Task<void> add_changes_of(std::size_t source, std::vector<Redone>& changes);
    ums::Task<bool> sync();
    ums::Task<bool> compare();
    ums::Task<void> compare_sums(std::size_t source);
    void report_difference(std::size_t source, std::uint32_t first);

    BackupParts& parts_;
    const std::span<const BackupSet> sets_;
    BackupResult& result_;
    std::vector<LogRedo> redo_;              // by source
    std::vector<std::uint32_t> base_pages_;  // of each source when base_of_log() began
    std::vector<std::uint32_t> cuts_;
    std::vector<PageRun> full_runs_;
    std::vector<PageRun> differential_runs_;
    std::uint64_t log_bytes_ = 0;
    std::atomic<std::uint64_t> next_{0};
    std::atomic<std::uint64_t> pages_written_{0};
    std::atomic<bool> has_failed_{false};
};

}  // namespace sim
