// How fast an indirect checkpoint writes. The recovery target says how many pages may be dirty: as many as could be redone within it. A
// pass writes what was dirty when it began, little by little: whatever is above the target, and never so little that the log would fill up
// before the pass is over. Pure.
#pragma once

#include <cstdint>

#include "sim/log/log_space.hpp"

namespace sim {

// Pages a second that redo, which reads each of them, would complete: what a file can carry, by its request blocks and their average
// duration.
[[nodiscard]] std::uint64_t redo_pages_per_s(std::uint32_t request_blocks, std::uint64_t average_us);

class CheckpointPace {
public:
    // Recovery within the target allows `dirty_target` pages to be dirty.
    explicit CheckpointPace(std::uint64_t dirty_target) : dirty_target_(dirty_target) {}

    // A pass is due: there are too many dirty pages, or it is time to free some of the log.
    [[nodiscard]] bool should_begin(std::uint64_t dirty_pages, const LogSpace::Use& log) const;

    // A pass of `pass_pages` begins.
    void begin(std::uint64_t pass_pages, const LogSpace::Use& log);

    // How many pages of the pass, of which `done_pages` are already written, are to be written now.
    [[nodiscard]] std::uint64_t due_pages(std::uint64_t done_pages, std::uint64_t dirty_pages, const LogSpace::Use& log) const;

private:
    const std::uint64_t dirty_target_;
    std::uint64_t pass_pages_ = 0;
    std::uint64_t begin_used_bytes_ = 0;
};

}  // namespace sim
