// Whether a run still makes progress, above all one that must end. If it does not, it may never end: requests and system calls cannot be
// canceled.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/results.hpp"

namespace cli {

// Control thread only.
class DrainWatch {
public:
    // How long a run that must end may make no progress.
    static constexpr int kDrainSecondsMax = 10;
    // While it closes its files: the file system frees the space of those that were deleted, and the system a lot of memory.
    static constexpr int kClosingSecondsMax = 600;
    // How long a run that nobody stops may wait for a call other than a request. Some rightly take long: a sync writes whatever the system
    // has cached.
    static constexpr int kCallSecondsMax = 3600;

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

    // Must be called every second. The call, one of `progress`, that is not worth waiting for any longer; null: there is none. To create
    // files may take as long as it needs: some file systems write zeros.
    [[nodiscard]] const sim::Progress::Call* hung_call(const sim::Progress& progress) {
        const auto is_longer = [](const sim::Progress::Call& a, const sim::Progress::Call& b) { return a.duration_us < b.duration_us; };
        const auto longest = std::max_element(progress.long_calls.begin(), progress.long_calls.end(), is_longer);
        const bool waits = longest != progress.long_calls.end() && !progress.is_creating;
        seconds_in_calls_ = waits && progress.io_count == io_count_in_calls_ ? seconds_in_calls_ + 1 : 0;
        io_count_in_calls_ = progress.io_count;
        // Several calls may have taken turns.
        const bool has_hung = seconds_in_calls_ >= kCallSecondsMax && longest->duration_us >= std::uint64_t{kCallSecondsMax} * 1'000'000;
        return has_hung ? &*longest : nullptr;
    }

private:
    int seconds_in_calls_ = 0;  // without a request that came back
    std::uint64_t io_count_in_calls_ = 0;
    int seconds_with_lost_requests_ = 0;
    int stalled_seconds_ = 0;
    std::uint64_t io_count_ = 0;
};

}  // namespace cli
