// How long a work of a backup takes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/backup_results.hpp"
#include "ums/base/clock.hpp"

namespace sim {

class WorkClock {
public:
    explicit WorkClock(const ums::Clock& clock) : clock_(clock), start_ns_(clock.now_ns()) {}

    [[nodiscard]] std::uint64_t elapsed_us() const { return (clock_.now_ns() - start_ns_) / 1000; }
    // The work is done.
    void add_to(BackupWork& work, std::uint64_t pages, std::uint64_t log_bytes) const {
        ++work.count;
        work.pages += pages;
        work.log_bytes += log_bytes;
        work.duration_us += elapsed_us();
        work.max_duration_us = std::max(work.max_duration_us, elapsed_us());
    }

private:
    const ums::Clock& clock_;
    const std::uint64_t start_ns_;
};

}  // namespace sim
