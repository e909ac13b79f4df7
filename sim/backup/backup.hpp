// BackupUser: backs up the data files (full, differential and log) while users work, verifies every backup, and restores what it has.
//
// A chain is a full backup and what follows it. All of it is one media set: a new full backup starts it anew. The steps are those of SQL
// Server: the log is marked, a checkpoint writes what was changed before, the pages are copied as they are on the disk, and the log from
// the mark to the end of the copying is added, so that a restore brings all pages to that end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/backup/backup_chain.hpp"
#include "sim/backup/backup_parts.hpp"
#include "sim/backup/log_copy.hpp"
#include "sim/backup/page_copy.hpp"
#include "sim/backup_results.hpp"
#include "sim/workers/checkpoint.hpp"

namespace sim {

class Backup {
public:
    // The references must outlive the object. Nothing else may use `log_reader` while a backup is in progress.
    Backup(RunContext& context, BackupFiles& files, Checkpoint& checkpoint, LogAuditor& log_reader);

    // A task of the main run: makes backups on schedule until the users must stop. A backup in progress is completed. If one fails, its
    // chain ends, and a full backup follows a second later, or, if chains go on to end, up to a minute later. The log is also backed up
    // while another backup is read back.
    ums::Task<void> serve();
    // After the main run, when nothing else is going on: makes a full backup if there is none, or if the chain cannot go on, then restores
    // the last chain.
    ums::Task<void> finish();

    // Only when nothing is going on.
    [[nodiscard]] BackupResult result() const;

private:
    ums::Task<void> full();
    ums::Task<void> differential();
    ums::Task<void> log();
    ums::Task<bool> make(BackupKind kind);
    ums::Task<bool> begin_set(BackupSet& set);
    ums::Task<bool> end_set(BackupSet& set, std::uint64_t pages);
    ums::Task<bool> copy_pages(const BackupSet& set, std::vector<PageBlock> blocks, std::uint32_t first_position, std::uint64_t& pages);
    ums::Task<bool> copy_log_until(ums::Event& done, std::uint32_t set_number);
    ums::Task<bool> append_runs(std::uint32_t set_number, std::span<const PageRun> runs);
    ums::Task<bool> write_all_changes();
    ums::Task<void> verify(const BackupSet& set);
    ums::Task<void> verify_oldest();
    ums::Task<void> verify_rest();
    ums::Task<void> back_up_log_until(ums::Event& done);
    ums::Task<void> read_set(std::uint32_t first_chunk, std::uint32_t end_chunk);
    ums::Task<void> restore();
    ums::Task<void> end_chain(const std::string& why);
    void forget_chain();
    [[nodiscard]] std::vector<std::uint64_t> shrunk_counts() const;
    void refuse(std::string_view what);
    [[nodiscard]] std::string why_incomplete(std::string_view backup) const;
    void tell(const BackupSet& set, std::uint64_t pages, std::uint64_t log_bytes, std::uint64_t duration_us);
    [[nodiscard]] bool has_full() const { return !sets_.empty(); }
    [[nodiscard]] bool keeps_log() const { return parts_.options.log_interval_s != 0; }
    [[nodiscard]] std::uint64_t due_after(std::uint32_t interval_s) const;
    // How long to wait before the chain that has just ended is replaced.
    [[nodiscard]] std::uint64_t next_retry_pause_ns();
    [[nodiscard]] bool is_log_due() const;

    BackupParts parts_;
    Checkpoint& checkpoint_;
    LogCopy log_copy_;
    std::vector<BackupSet> sets_;         // of the chain, complete ones only
    std::deque<std::size_t> unverified_;  // of them: log backups that are still to be verified, by index
    std::uint64_t chain_number_ = 0;
    std::vector<std::uint64_t> shrunk_;  // of the next backup
    std::uint64_t log_due_ns_ = 0;
    std::uint64_t chain_ended_ns_ = 0;     // the last one that could not go on
    std::uint64_t retry_pause_ns_ = 0;     // after it; 0 = none has ended yet
    std::uint32_t full_end_position_ = 1;  // in the stripes: after the full backup
    bool is_verified_ = true;              // the last backup; or nothing is to be verified
    bool is_restored_ = false;             // the chain in its present state
    BackupResult result_;
};

}  // namespace sim
