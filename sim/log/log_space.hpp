// Space in the ring of the log: how much of it is reserved, and which tasks wait for more. A task reserves before it appends, so an append
// never waits for a checkpoint, and a checkpoint always finds room for its own records.
#pragma once

#include <cstdint>
#include <utility>

#include "sim/log/log_state.hpp"
#include "sim/log/page_sums.hpp"
#include "sim/page/log_layout.hpp"
#include "ums/sched/event.hpp"
#include "ums/sched/task.hpp"

namespace sim {

class LogSpace;

// Log space that a task may use; false if none will be available any more. The destructor returns what is left. One owner at a time.
class LogReservation {
public:
    LogReservation(LogSpace& space, std::uint64_t size_bytes) : space_(&space), remaining_bytes_(size_bytes) {}
    LogReservation(LogReservation&& other) noexcept : space_(other.space_), remaining_bytes_(std::exchange(other.remaining_bytes_, 0)) {}
    LogReservation& operator=(LogReservation&&) = delete;
    ~LogReservation();

    explicit operator bool() const { return remaining_bytes_ != 0; }

    // This much of the reservation, or all of it if it is less, now holds records: the ring counts what they take.
    void use(std::uint64_t size_bytes);

private:
    LogSpace* space_;
    std::uint64_t remaining_bytes_;
};

// How much log a checkpoint of these sums takes at most, without the ends of VLFs that its blocks leave unused.
[[nodiscard]] std::uint64_t checkpoint_bytes_for(const PageSums& sums);

class LogSpace {
public:
    // `sums`: of all pages; a checkpoint logs them, and room for them is kept free. `state` must outlive the space.
    LogSpace(LogState& state, std::uint32_t alignment_bytes, const PageSums& sums);
    LogSpace(const LogSpace&) = delete;
    LogSpace& operator=(const LogSpace&) = delete;
    // Asserts that everything has been given back and no task waits.
    ~LogSpace();

    // Waits until `size_bytes` of records fit, in at most `record_count` records. Hold no latch. Wakes the checkpoint when space gets
    // short. Returns without space if the log has failed or reservations are refused: then nothing may be appended.
    ums::Task<LogReservation> reserve(std::uint64_t size_bytes, std::uint32_t record_count = 1);

    // For what a checkpoint logs: does not wait, because the log keeps room for it.
    LogReservation reserve_for_system(std::uint64_t size_bytes = sizeof(LogRecordHeader), std::uint32_t record_count = 1);

    // The run is stopping, so no checkpoint will make room any more, or its users are ending: tasks that wait for space, or request it
    // later, get none until accept().
    void refuse();
    void accept();

    // A grown part of a log file can be used from now on.
    void add(SimFile& file, std::uint64_t begin_bytes, std::uint64_t end_bytes);
    // Set when a task has to wait for space.
    [[nodiscard]] ums::Event& growth_wanted() { return growth_wanted_; }
    // Set when a checkpoint should free log space soon.
    [[nodiscard]] ums::Event& checkpoint_wanted() { return checkpoint_wanted_; }

    // How much is in use, and the level above which a checkpoint is requested.
    struct Use {
        std::uint64_t used_bytes = 0;
        std::uint64_t short_bytes = 0;
        bool is_waited_for = false;  // a task waits for room
    };
    [[nodiscard]] Use use();

    // The most that a record costs beyond its own bytes: a separate block.
    [[nodiscard]] std::uint64_t overhead_bytes() const { return alignment_bytes_ + sizeof(LogBlockHeader) + 8; }

    // For the log manager. The ring has room again, or the log has failed: tasks that need not wait any more are appended to `released`.
    void release_locked(ums::WaitQueue& released);
    [[nodiscard]] bool is_waited_for_locked() const { return !waiting_.empty(); }

private:
    friend class LogReservation;
    struct Awaiter;

    void give_back(std::uint64_t size_bytes);
    [[nodiscard]] bool take_locked(std::uint64_t size_bytes);

    LogState& state_;
    const std::uint32_t alignment_bytes_;
    const std::uint64_t system_bytes_;  // kept free for what a checkpoint logs
    ums::Event checkpoint_wanted_;
    ums::Event growth_wanted_;

    // Guarded by the log's lock.
    std::uint64_t reserved_bytes_ = 0;
    bool refusing_ = false;
    ums::Fifo<Awaiter> waiting_;
};

}  // namespace sim
