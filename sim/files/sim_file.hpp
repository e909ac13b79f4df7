// One open test file: the only place where pages and log blocks meet the storage. Every transfer passes through the load governor and the
// process-wide limit, is counted, and is watched for taking too long.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "sim/files/file_counters.hpp"
#include "sim/files/load_governor.hpp"
#include "sim/journal/journal.hpp"
#include "sim/journal/run_state.hpp"
#include "sim/limits.hpp"
#include "sim/options.hpp"
#include "ums/io/storage.hpp"
#include "ums/sched/latch.hpp"
#include "ums/sched/per_cpu_latch.hpp"
#include "ums/sched/semaphore.hpp"
#include "ums/sched/task.hpp"

namespace sim {

// What happens to a request that is not yet posted when the run stops, or, for abandon_with_users, when the main run ends and its users
// with it.
enum class OnStop : std::uint8_t { post, abandon, abandon_with_users };

// What a write to a log is. The time of a block counts as that of a log flush, for which commits wait. Without effect on other files.
enum class LogWrite : std::uint8_t {
    block,
    block_to_sync,  // its flush ends with a sync: sync_block() counts the time of both
    zeros,          // of a growth: counted as writes of other files are
};

struct TransferResult {
    std::error_code error;
    std::uint64_t transferred_bytes = 0;
    std::uint64_t duration_us = 0;
    bool is_abandoned = false;  // never posted
};

// How much of the run's load a file may carry, and from how many CPUs it comes.
struct FileLoad {
    std::uint32_t target_io_duration_ms = 100;
    std::uint32_t request_blocks_max = kOutstandingIoMax;
    std::uint32_t cpu_count = 1;
};

[[nodiscard]] constexpr FileLoad load_of(const Options& options) {
    return {options.target_io_duration_ms, outstanding_io_max(options), options.cpu_count};
}

// What all files of a run have in common. The references must outlive the files.
struct FileContext {
    ums::Storage& storage;
    ums::Semaphore& outstanding;  // the process's limit
    const RunState& run;
    Journal& journal;
    FileLoad load{};
};

class SimFile {
public:
    // How the file was opened.
    struct Setup {
        bool created = false;       // by this run
        bool is_device = false;     // a block device: never resized, never deleted
        bool has_old_data = false;  // where the run has not written yet: what was there before it
        std::uint32_t id = 0;
        FileOptions options;
        ums::FileHandle transfers;  // opened as NoBuffering and WriteThrough say; not open: for an engine that transfers nothing
        ums::FileHandle control;    // holds the lock; grows and cuts the file
        std::uint64_t size_bytes = 0;
        std::optional<std::uint32_t> signature_checksum{};  // of page 0, if it has just been written: version 1
        bool direct = true;                                 // unbuffered transfers
        Durability durability = Durability::write_through;  // never `inherited`
    };

    // Takes over both handles.
    SimFile(Setup setup, const FileContext& context);
    ~SimFile();

    [[nodiscard]] std::uint32_t id() const { return setup_.id; }
    [[nodiscard]] const std::string& path() const { return setup_.options.path; }
    [[nodiscard]] const FileOptions& options() const { return setup_.options; }
    [[nodiscard]] bool was_created() const { return setup_.created; }
    [[nodiscard]] bool is_device() const { return setup_.is_device; }
    // Where the run has not written yet, the file holds what was there before the run, not zeros.
    [[nodiscard]] bool has_old_data() const { return setup_.has_old_data; }
    [[nodiscard]] std::optional<std::uint32_t> signature_checksum() const { return setup_.signature_checksum; }
    // Otherwise a sync is needed, if durability is requested at all.
    [[nodiscard]] bool writes_are_durable() const { return setup_.durability == Durability::write_through; }
    [[nodiscard]] bool needs_flushes() const { return setup_.durability == Durability::forced_flush; }
    [[nodiscard]] bool requests_durability() const { return setup_.durability != Durability::none; }
    [[nodiscard]] bool is_log() const { return setup_.options.is_log; }
    [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_.load(std::memory_order_acquire); }
    [[nodiscard]] std::uint32_t pages() const { return static_cast<std::uint32_t>(size_bytes() / kPageBytes); }

    // One request for one contiguous range of the file. The segments stay the caller's. Own scheduler's thread; waits. On a slow disk
    // thousands may wait for their turn: `on_stop` says what happens to this one if the run is stopping by then.
    ums::Task<TransferResult> transfer(ums::IoOperation operation, std::uint64_t offset_bytes, std::span<const ums::IoSegment> segments,
                                       ums::WaitType wait_type, OnStop on_stop = OnStop::post, LogWrite log_write = LogWrite::block);
    // Whether there is a device that could idle while pages are verified or made; see Scheduler::before_computing().
    [[nodiscard]] bool has_device() const { return !setup_.transfers.is_in_memory; }
    // Makes completed writes durable if the file was not opened for write-through. Not counted, not governed. An error of the storage is a
    // finding, the first time. Once writes may be lost, every later sync fails, too, at once: the system reports a loss only once, and
    // perhaps to a task that cannot end the run. For the same reason, those of a data file take turns.
    ums::Task<std::error_code> sync();
    // The same for a block of a log that was written as LogWrite::block_to_sync, which took `write_us`: with the sync, that is the time of
    // its flush, which is counted.
    ums::Task<std::error_code> sync_block(std::uint64_t write_us);
    // Grows (allocates, or leaves holes in sparse data files) or cuts the file. The caller holds resize_latch() exclusively. An error of
    // the device is a finding; a refusal for other reasons is left to the caller to report.
    ums::Task<std::error_code> resize(std::uint64_t new_size_bytes);

    // The first offset from `offset_bytes` on at which the file system stores data; up to there, the file is a hole. The size of the file
    // if no data follows, `offset_bytes` itself if that is unknown.
    ums::Task<std::uint64_t> next_data_bytes(std::uint64_t offset_bytes) const;
    // Whether nothing is stored in the range. `hole_end_bytes` is the caller's, 0 at first: one answer of the file system serves for all of
    // a long hole, if nobody else writes there and the ranges are asked for in ascending order.
    ums::Task<bool> is_hole(std::uint64_t offset_bytes, std::uint64_t range_bytes, std::uint64_t& hole_end_bytes) const;
    // Makes the system forget cached pages of the file, as far as it can. Returns the error of writing them first. It is not reported: the
    // file may be one that is only read.
    ums::Task<std::error_code> drop_cache() const;
    // For errors of that in files that are written: an error of the storage is a finding, as of sync(), and every later sync fails, too.
    void note_failed_sync(const std::error_code& error);
    // A second handle for a diagnosis, opened like the one for transfers.
    ums::Task<std::error_code> open_again(ums::FileHandle& handle) const;
    ums::Task<void> close_again(ums::FileHandle handle) const;

    // For files that belong to another host: takes the size that this host sees now; if it cannot be read, keeps the previous one.
    ums::Task<std::error_code> look_at_size();
    // Closes the file and reopens it by name, read-only. No request of it may be in flight. After an error it is closed.
    ums::Task<std::error_code> open_anew();

    // Gives the file up: nothing more can be expected of it. True the first time: that caller reports it. Any thread.
    [[nodiscard]] bool give_up() { return !is_given_up_.exchange(true); }
    [[nodiscard]] bool is_given_up() const { return is_given_up_.load(std::memory_order_relaxed); }
    // For messages: which file system, and how much is free.
    ums::Task<std::string> free_space_text() const;

    // A read for a diagnosis, which bypasses governor and counters, for the caller to post; the segment stays the caller's.
    [[nodiscard]] ums::IoRequest diagnosis_read(std::uint64_t offset_bytes, const ums::IoSegment& segment) const;
    // For requests made elsewhere: a finding if the request came back late.
    void report_if_long(const ums::IoRequest& request);
    // Counts the finding, unless it is a warning, and passes it to the journal. Any thread.
    void report(Finding finding);

    // Held shared by tasks that work with pages of the file, exclusively by a task that changes its size. Not nested.
    [[nodiscard]] ums::PerCpuLatch& resize_latch() { return resize_latch_; }
    [[nodiscard]] LoadGovernor& governor() { return governor_; }
    [[nodiscard]] const LoadGovernor& governor() const { return governor_; }
    [[nodiscard]] const FileCountersPerCpu& counters() const { return counters_; }
    // Outstanding requests, excluding those that wait for their turn. Any thread, as an estimate.
    [[nodiscard]] std::uint32_t outstanding() const;
    // The counters of the running scheduler.
    [[nodiscard]] FileCounters& local_counters();
    [[nodiscard]] ums::FileHandle transfer_handle() const { return setup_.transfers; }
    [[nodiscard]] ums::FileHandle control_handle() const { return setup_.control; }

    std::atomic<std::uint64_t> grown_count{0};
    std::atomic<std::uint64_t> shrunk_count{0};
    std::atomic<std::uint64_t> finding_count{0};
    std::atomic<bool> has_part_of_growth{false};  // of a log: at its end, so that no other step may follow

private:
    [[nodiscard]] bool should_abandon(OnStop on_stop) const;
    ums::Task<std::error_code> sync_now();
    std::error_code read_size();
    void count(const ums::IoRequest& request, LogWrite log_write);
    void report_if_short(const ums::IoRequest& request);

    Setup setup_;  // changed by open_anew() only
    ums::Storage& storage_;
    ums::Semaphore& outstanding_;
    const RunState& run_;
    Journal& journal_;
    std::atomic<std::uint64_t> size_bytes_;
    std::atomic<bool> is_given_up_{false};
    std::atomic<int> sync_error_{0};             // errno of a sync that failed; 0: none has
    std::atomic<std::uint64_t> syncs_begun_{0};  // of a data file; changed by the one whose turn it is
    std::uint64_t last_good_sync_ = 0;           // its number; likewise
    ums::Latch sync_turn_;
    FileCountersPerCpu counters_;
    ums::PerCpuLatch resize_latch_;
    // Changed by every request of every CPU: kept apart from what is only read.
    alignas(64) LoadGovernor governor_;
};

// The path of the file with this id; empty if it is not among `files`.
[[nodiscard]] std::string path_among(const std::vector<SimFile*>& files, std::uint32_t file_id);

}  // namespace sim
