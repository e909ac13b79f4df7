// The transaction log: records are collected in blocks, blocks are flushed in groups, several flushes are outstanding at a time, and a
// commit waits until its records are hardened. Pages are written only after the log is hardened up to their LSN (write-ahead rule).
//
// Order of waiting, which prevents deadlocks: log space is reserved before any page latch is taken; append() and harden() wait only for the
// log files' own I/O and may be called with latches held.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "sim/journal/run_state.hpp"
#include "sim/log/log_buffer.hpp"
#include "sim/log/log_hardening.hpp"
#include "sim/log/log_position.hpp"
#include "sim/log/log_space.hpp"
#include "sim/log/log_state.hpp"
#include "sim/log/page_sums.hpp"
#include "sim/log/virtual_log_files.hpp"
#include "sim/page/log_layout.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/sched/event.hpp"
#include "ums/sched/semaphore.hpp"
#include "ums/sched/task.hpp"

namespace sim {

struct CheckpointBegin {
    std::uint64_t lsn = 0;
    PageSums sums;
};

// A place between two blocks of the log.
struct LogMark {
    std::uint32_t vlf_sequence = 0;
    std::uint64_t at_bytes = 0;    // in that VLF
    std::uint64_t next_block = 0;  // the sequence of the block that begins there, or with the next VLF
    std::uint64_t last_lsn = 0;    // of the last record before it
    bool cuts_changes = false;     // the records of a change begin before it and end after it
    PageSums sums{};               // of the pages as of that record
};

struct LogSetup {
    std::vector<SimFile*> files;  // the log files, at least one; they must outlive the manager
    std::uint64_t run_id = 0;
    std::uint32_t flushes_max = 1;          // outstanding at a time
    std::uint32_t alignment_bytes = 512;    // of blocks
    PageSums sums{};                        // of the pages at present
    std::optional<LogPosition> position{};  // of a run that continues; otherwise the log is empty
    PromiseBook* promises = nullptr;        // where hardening is recorded
    std::uint32_t flushed_kb_max = 0;       // of log outstanding at a time; 0: as much as flushes_max blocks hold
};

class LogManager {
public:
    // `run` and `journal` must outlive the manager.
    LogManager(LogSetup setup, RunState& run, Journal& journal);
    LogManager(const LogManager&) = delete;
    LogManager& operator=(const LogManager&) = delete;

    // A task reserves space here before it appends.
    [[nodiscard]] LogSpace& space() { return space_; }

    // Appends a record of `size_bytes` (header included; rounded up to 8) within the reservation; noise follows the header. Returns its
    // LSN. A record that is larger than a block continues in a filler record.
    ums::Task<std::uint64_t> append(LogReservation& reservation, LogChange change, std::uint64_t size_bytes);

    // Appends the mark at which a checkpoint begins. Returns it with a copy of the sums as of its LSN. The log keeps room for it.
    ums::Task<CheckpointBegin> begin_checkpoint();

    // Appends a file_resize, and keeps the sums in step. `version_of`: see PageSums. `before_cut`: takes back a cut that was logged and did
    // not take place; the sums of the file before it. The caller keeps all pages of the file from changing, from these sums on.
    ums::Task<std::uint64_t> append_resize(LogReservation& reservation, std::uint32_t file_id, std::uint32_t page_count,
                                           const PageSums::VersionOf& version_of, const PageSums::File* before_cut = nullptr);
    [[nodiscard]] PageSums::File sums_of(std::uint32_t file_id) {
        const std::lock_guard guard(state_.lock);
        return sums_.file(file_id);
    }

    // Waits until the record at `lsn` is on stable storage. False if the log has failed: then nothing that depends on it may be written.
    ums::Task<bool> harden(std::uint64_t lsn) { return hardening_.harden(lsn); }

    // Hardens everything that has been appended so far.
    ums::Task<bool> flush();

    [[nodiscard]] bool is_hardened(std::uint64_t lsn) const { return hardening_.is_hardened(lsn); }
    // An LSN that every record appended from now on reaches or exceeds.
    [[nodiscard]] std::uint64_t end_lsn();
    // Records before `lsn` are no longer needed: their VLFs can be reused.
    void truncate(std::uint64_t lsn);

    // Ends the block that is being filled: the log up to there can be read once `last_lsn` is hardened.
    [[nodiscard]] LogMark mark();
    // The same for a task that will copy the log from there on: the log is held, that is, not reused, until release_hold(). Checkpoints
    // need room, too: a hold that leaves less than a quarter of the log free is broken, unless it is pinned. One at a time.
    [[nodiscard]] LogMark mark_and_hold();
    // While the log is being copied, the hold is pinned, and checkpoints that may find no room wait until it is unpinned. False: the hold
    // was broken.
    [[nodiscard]] bool pin_hold();
    // Everything before this VLF has been copied.
    void unpin_hold(std::uint32_t vlf_sequence);
    void release_hold();
    ums::Task<void> wait_for_pinned_hold();
    // The share of the log that is kept for a copy from the mark on, 0 … 1. What comes before the mark in its VLF counts once the log has
    // left that VLF: only then does the copy set it free.
    [[nodiscard]] double share_since(const LogMark& mark);

    // The log writer: a task of its own, which ends after stop(), when everything is flushed.
    ums::Task<void> run_writer();
    void stop();

    // VLFs that hold records, for the audit. Only after flush(), while nothing is appended.
    [[nodiscard]] std::vector<VirtualLogFile> used_vlfs();
    [[nodiscard]] std::uint64_t run_id() const { return run_id_; }
    [[nodiscard]] std::uint32_t incarnation() const { return incarnation_; }
    [[nodiscard]] std::uint32_t alignment_bytes() const { return alignment_bytes_; }

private:
    LogBuffer* writable_block(std::uint32_t record_bytes);
    // `then` is called under the same lock as the one under which the record gets its LSN.
    template <typename Then>
    ums::Task<std::uint64_t> append_one(LogChange change, std::uint32_t record_bytes, Then then);
    void open_block(std::uint32_t record_bytes);
    void seal_block();
    void stop_before_last_vlf(const LogBuffer& buffer);
    ums::Task<void> flush_block(LogBuffer& buffer);
    ums::Task<bool> write_block(LogBuffer& buffer);
    void completed(LogBuffer& buffer, bool written);
    [[nodiscard]] std::uint64_t end_lsn_locked();
    void truncate_locked(std::uint32_t vlf_sequence);
    LogMark mark_locked();

    const std::uint64_t run_id_;
    const std::uint32_t incarnation_;
    const std::uint32_t alignment_bytes_;
    RunState& run_;
    Journal& journal_;

    ums::Event work_;  // for the log writer
    ums::Event buffer_free_;
    ums::Event hold_unpinned_;
    ums::Semaphore flush_slots_;
    ums::Semaphore flush_bytes_;
    std::atomic<bool> stopping_{false};

    LogState state_;  // its lock guards everything below
    LogSpace space_;
    LogHardening hardening_;
    PageSums sums_;
    ums::MemoryRegion memory_;
    std::vector<std::unique_ptr<LogBuffer>> buffers_;
    std::vector<LogBuffer*> free_;
    LogBuffer* current_ = nullptr;
    std::deque<LogBuffer*> sealed_;  // to be flushed
    std::uint64_t next_block_ = 1;
    std::uint64_t last_lsn_ = 0;         // of the newest record
    std::uint32_t split_changes_ = 0;    // whose records continue in a filler that is still to come
    std::optional<std::uint32_t> hold_;  // the first VLF that is not reused
    bool is_hold_pinned_ = false;
    std::uint32_t truncated_to_ = 0;  // the first VLF that the last checkpoint needs, regardless of holds
};

}  // namespace sim
