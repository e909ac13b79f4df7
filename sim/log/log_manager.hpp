// The transaction log: records are collected in blocks, blocks are flushed in groups, several flushes are outstanding at a time, and a
// commit waits until its records are hardened. Pages are written only after the log is hardened up to their LSN (write-ahead rule).
//
// Order of waiting, which keeps it free of deadlocks: log space is reserved before any page latch is taken; append() and harden() wait for
// nothing but the log files' own I/O and may be called with latches held.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "sim/log/log_buffer.hpp"
#include "sim/log/log_layout.hpp"
#include "sim/log/virtual_log_files.hpp"
#include "sim/run/run_state.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/base/spinlock.hpp"
#include "ums/sched/event.hpp"
#include "ums/sched/semaphore.hpp"
#include "ums/sched/task.hpp"

namespace sim {

class LogManager;

// Log space that a task may use; false if there is none to be had any more. What is left is given back by the destructor. One owner at a
// time.
class LogReservation {
public:
    LogReservation(LogManager& log, std::uint64_t size_bytes) : log_(&log), remaining_bytes_(size_bytes) {}
    LogReservation(LogReservation&& other) noexcept : log_(other.log_), remaining_bytes_(std::exchange(other.remaining_bytes_, 0)) {}
    LogReservation& operator=(LogReservation&&) = delete;
    ~LogReservation();

    explicit operator bool() const { return remaining_bytes_ != 0; }

private:
    friend class LogManager;
    LogManager* log_;
    std::uint64_t remaining_bytes_;
};

class LogManager {
public:
    // `files`: the log files, at least one; they and the other references must outlive the manager.
    LogManager(const std::vector<SimFile*>& files, std::uint64_t run_id, std::uint32_t flushes_max, std::uint32_t alignment_bytes,
               RunState& run, Journal& journal);
    LogManager(const LogManager&) = delete;
    LogManager& operator=(const LogManager&) = delete;
    ~LogManager();

    // Waits until `size_bytes` of records fit, in at most `record_count` records. Hold no latch. Wakes the checkpoint when space gets
    // short. Comes back without space if the log has failed or the run is stopping: then nothing may be appended.
    ums::Task<LogReservation> reserve(std::uint64_t size_bytes, std::uint32_t record_count = 1);

    // The run is stopping, so no checkpoint will make room any more: whoever waits for space, or asks for it later, gets none.
    void refuse_reservations();

    // For checkpoint marks: does not wait, the log keeps room for them.
    LogReservation reserve_for_system();

    // Appends a record of `size_bytes` (header included; rounded up to 8) within the reservation; what stands behind
    // the header is noise. Returns its LSN. A record that is larger than a block continues in a filler record.
    ums::Task<std::uint64_t> append(LogReservation& reservation, LogChange change, std::uint64_t size_bytes);

    // Waits until the record at `lsn` is on stable storage. False if the log has failed: then nothing that depends on it may be written.
    ums::Task<bool> harden(std::uint64_t lsn);

    // Hardens everything that has been appended so far.
    ums::Task<bool> flush();

    [[nodiscard]] bool is_hardened(std::uint64_t lsn) const { return hardened_lsn_.load(std::memory_order_acquire) >= lsn; }
    // An LSN that every record appended from now on reaches or exceeds.
    [[nodiscard]] std::uint64_t end_lsn();
    // Records before `lsn` are no longer needed: their VLFs can be used again.
    void truncate(std::uint64_t lsn);

    // A grown part of a log file can be used from now on.
    void add_space(SimFile& file, std::uint64_t begin_bytes, std::uint64_t end_bytes);
    // Set when a task has to wait for space.
    [[nodiscard]] ums::Event& growth_wanted() { return growth_wanted_; }

    // Set when a checkpoint should free log space soon.
    [[nodiscard]] ums::Event& checkpoint_wanted() { return checkpoint_wanted_; }

    // The log writer: a task of its own; ends, everything flushed, after stop().
    ums::Task<void> run_writer();
    void stop();

    // VLFs that hold records, for the audit. Only after flush(), while nothing is appended.
    [[nodiscard]] std::vector<VirtualLogFile> used_vlfs();
    [[nodiscard]] std::uint64_t run_id() const { return run_id_; }
    [[nodiscard]] std::uint64_t bytes_written() const { return bytes_written_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::uint32_t alignment_bytes() const { return alignment_bytes_; }

private:
    friend class LogReservation;

    struct SpaceAwaiter;
    struct HardenAwaiter;

    void give_back(std::uint64_t size_bytes);
    [[nodiscard]] bool take_space(std::uint64_t size_bytes);
    void admit_waiting_for_space(ums::Fifo<SpaceAwaiter>& admitted);
    LogBuffer* writable_block(std::uint32_t record_bytes);
    ums::Task<std::uint64_t> append_one(LogChange change, std::uint32_t record_bytes);
    void open_block(std::uint32_t record_bytes);
    void seal_block();
    ums::Task<void> flush_block(LogBuffer& buffer);
    ums::Task<bool> write_block(LogBuffer& buffer);
    void completed(LogBuffer& buffer, bool written);
    [[nodiscard]] std::uint64_t end_lsn_locked();
    [[nodiscard]] std::uint64_t overhead_bytes() const { return alignment_bytes_ + sizeof(LogBlockHeader) + 8; }

    const std::uint64_t run_id_;
    const std::uint32_t alignment_bytes_;
    RunState& run_;
    Journal& journal_;

    ums::Event work_;  // for the log writer
    ums::Event buffer_free_;
    ums::Event checkpoint_wanted_;
    ums::Event growth_wanted_;
    ums::Semaphore flush_slots_;
    std::atomic<std::uint64_t> hardened_lsn_{0};
    std::atomic<std::uint64_t> bytes_written_{0};
    std::atomic<bool> stopping_{false};
    std::atomic<bool> failed_{false};

    ums::Spinlock lock_;  // guards everything below
    VirtualLogFiles vlfs_;
    ums::MemoryRegion memory_;
    std::vector<std::unique_ptr<LogBuffer>> buffers_;
    std::vector<LogBuffer*> free_;
    LogBuffer* current_ = nullptr;
    std::deque<LogBuffer*> sealed_;      // to be flushed
    std::deque<LogBuffer*> unhardened_;  // sealed and not yet hardened, in order
    std::uint64_t next_block_ = 1;
    std::uint64_t wanted_lsn_ = 0;
    std::uint64_t last_lsn_ = 0;  // of the newest record
    std::uint64_t reserved_bytes_ = 0;
    bool refusing_ = false;
    ums::Fifo<SpaceAwaiter> waiting_for_space_;
    ums::Fifo<HardenAwaiter> waiting_for_hardening_;
};

}  // namespace sim
