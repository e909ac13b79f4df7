// Lets the log grow by its files' Increment, within MaxSize, when it is full, as SQL Server's log does, instead of letting transactions
// wait for the next truncation.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <system_error>
#include <vector>

#include "sim/log/growth_plan.hpp"
#include "sim/log/log_manager.hpp"

namespace sim {

// Extends a log file; the new part holds zeros, written by one task for each of several virtual log files, or whatever the file system has
// there. If the system refuses, the file stays as it was.
ums::Task<std::error_code> lengthen_log(SimFile& file, std::uint64_t new_bytes, GrowthPlan plan, RunState& run, Journal& journal);

class LogGrowth {
public:
    // `is_instant`: as since SQL Server 2022, see plan_growth().
    LogGrowth(LogManager& log, const std::vector<std::unique_ptr<SimFile>>& files, bool is_instant, RunState& run, Journal& journal)
        : log_(log), files_(files), is_instant_(is_instant), run_(run), journal_(journal) {}

    // The service: grows a file each time the log asks for it, until stop() or until no file can grow any more.
    ums::Task<void> serve();
    void stop();

private:
    [[nodiscard]] SimFile* growable_file() const;
    ums::Task<bool> grow(SimFile& file);

    LogManager& log_;
    const std::vector<std::unique_ptr<SimFile>>& files_;
    const bool is_instant_;
    RunState& run_;
    Journal& journal_;
    std::atomic<bool> stopping_{false};
};

}  // namespace sim
