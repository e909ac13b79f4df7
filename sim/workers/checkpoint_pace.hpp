// How fast an indirect checkpoint writes. The recovery target says how many pages may be dirty: as many as could be redone within it. A
// pass writes what was dirty when it began, little by little: whatever exceeds the target, and enough that the pass is over before the log
// fills up. Pure.
#pragma once

#include <atomic>
#include <cstdint>

#include "sim/log/log_space.hpp"

namespace sim {

// How many pages redo would complete in a second. It reads each of them, so this is what a file can carry, given its request blocks and
// their average duration.
[[nodiscard]] std::uint64_t redo_pages_per_s(std::uint32_t request_blocks, std::uint64_t average_us);

class CheckpointPace {
public:
    // Recovery within the target allows `dirty_target` pages to be dirty.
    explicit CheckpointPace(std::uint64_t dirty_target) : dirty_target_(dirty_target) {}

    // A pass is due: there are too many dirty pages, or it is time to free some of the log.
    [[nodiscard]] bool should_begin(std::uint64_t dirty_pages, const LogSpace::Use& log) const;

    // A pass of `pass_pages` begins.
    void begin(std::uint64_t pass_pages, const LogSpace::Use& log);

    // How many pages of the pass to write now, if `done_pages` are already written.
    [[nodiscard]] std::uint64_t due_pages(std::uint64_t done_pages, std::uint64_t dirty_pages, const LogSpace::Use& log) const;

private:
    const std::uint64_t dirty_target_;
    std::uint64_t pass_pages_ = 0;
    std::uint64_t begin_used_bytes_ = 0;
};

// How many writes a checkpoint has outstanding: as many as it may, until they take too long. SQL Server's automatic checkpoints watch the
// duration of their writes in the same way, and write less while it is above 50 ms. Any thread.
class SlowWrites {
public:
    // `limit_ms` 0: no duration is too long.
    SlowWrites(std::uint32_t limit_ms, std::uint32_t writers)
        : limit_us_(std::uint64_t{limit_ms} * 1000), writers_(writers), allowed_(writers) {}

    // Takes the totals of the files since the run began. Halves the writers if the writes since the last check took too long on average;
    // otherwise adds one.
    void look(std::uint64_t writes, std::uint64_t write_time_us);
    [[nodiscard]] bool is_on() const { return limit_us_ != 0; }
    // Writers with smaller numbers may write.
    [[nodiscard]] std::uint32_t allowed() const { return allowed_.load(std::memory_order_relaxed); }

private:
    const std::uint64_t limit_us_;
    const std::uint32_t writers_;
    std::atomic<std::uint32_t> allowed_;
    std::uint64_t writes_ = 0;  // at the last check, which one task makes
    std::uint64_t write_time_us_ = 0;
};

}  // namespace sim
