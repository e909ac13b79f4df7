// Whether a run that must end still gets anywhere. If it does not, it may never end: requests and system calls cannot be canceled.
#pragma once

#include <cstdint>

#include "sim/results.hpp"

namespace cli {

// Control thread only.
class DrainWatch {
public:
    // How long a run that must end may get nowhere.
    static constexpr int kDrainSecondsMax = 10;
    // While it closes its files: the file system frees the space of those that were deleted, and the system a lot of memory.
    static constexpr int kClosingSecondsMax = 600;

    // Must be called every second. `must_end`: the run was stopped, a task has failed, or a request was lost. True if it is not worth
    // waiting any longer.
    [[nodiscard]] bool has_stalled(const sim::Progress& progress, bool must_end) {
        stalled_seconds_ = must_end && progress.io_count == io_count_ ? stalled_seconds_ + 1 : 0;
        io_count_ = progress.io_count;
        return stalled_seconds_ >= (progress.is_closing ? kClosingSecondsMax : kDrainSecondsMax);
    }

    // Must be called every second. True if the run has waited long enough for requests that count as lost. Those of a run that closes its
    // files have come back after all.
    [[nodiscard]] bool has_lost_requests(const sim::Progress& progress) {
        const bool waits = progress.lost_requests > 0 && !progress.is_closing;
        return waits && ++seconds_with_lost_requests_ >= kDrainSecondsMax;
    }

private:
    int seconds_with_lost_requests_ = 0;
    int stalled_seconds_ = 0;
    std::uint64_t io_count_ = 0;
};

}  // namespace cli
