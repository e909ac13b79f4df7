// When the log is full, transactions would wait for the next truncation. Like SQL Server's, the log grows instead, by its files' Increment
// and within MaxSize.
#pragma once

#include <cstdint>
#include <memory>
#include <system_error>
#include <vector>

#include "sim/log/log_manager.hpp"
#include "sim/promises/promise_book.hpp"
#include "ums/sched/event.hpp"

namespace sim {

// How a step of growth of the log is prepared and divided, as in SQL Server since 2022: up to 64 MB is not zeroed and becomes one virtual
// log file; more is zeroed and becomes 8, above 1 GB 16, or one if the step is below an eighth of the log. Pure. Source: Microsoft,
// "Database instant file initialization" and the log architecture guide.
struct GrowthPlan {
    bool is_zeroed = true;
    std::uint32_t vlfs = 1;

    friend bool operator==(const GrowthPlan&, const GrowthPlan&) = default;
};

// `log_bytes`: all log files together, before the step. If not `is_instant`: one virtual log file of zeros, ioproof's default.
[[nodiscard]] GrowthPlan plan_growth(bool is_instant, std::uint64_t growth_bytes, std::uint64_t log_bytes);

// How many virtual log files a step of at least an eighth of the log becomes.
[[nodiscard]] std::uint32_t vlfs_of_large_growth(std::uint64_t growth_bytes);

// Extends a log file, durably if anything in it is; the new part holds zeros, written by one task for each of several virtual log files, or
// whatever the file system puts there. If the system refuses, the file stays as it was; if it cannot be synced, the run ends.
ums::Task<std::error_code> lengthen_log(SimFile& file, std::uint64_t new_bytes, GrowthPlan plan, RunState& run, Journal& journal);

class LogGrowth {
public:
    // `is_instant`: as since SQL Server 2022, see plan_growth(). `promises`: where a growth is recorded; null: nowhere.
    LogGrowth(LogManager& log, const std::vector<std::unique_ptr<SimFile>>& files, bool is_instant, RunState& run, Journal& journal,
              PromiseBook* promises = nullptr)
        : log_(log), files_(files), is_instant_(is_instant), run_(run), journal_(journal), promises_(promises) {}

    // The service: grows a file each time the log asks for it, until stop(), or until no file can grow any more. If there is no room for
    // one, it tries the next; if there is none for any, it tries again a second later for the tasks that still wait. What is the storage's
    // fault is not tried again.
    ums::Task<void> serve();
    void stop();

private:
    [[nodiscard]] SimFile* growable_file() const;
    [[nodiscard]] bool was_refused(const SimFile& file) const;
    ums::Task<std::error_code> grow(SimFile& file);
    void tell_refusal(SimFile& file, std::uint64_t new_bytes, const std::error_code& error);

    LogManager& log_;
    const std::vector<std::unique_ptr<SimFile>>& files_;
    const bool is_instant_;
    RunState& run_;
    Journal& journal_;
    PromiseBook* const promises_;
    std::vector<SimFile*> refused_;  // the last time, which a warning has told; the first one has waited longest for another try
    ums::Event stopping_;
};

}  // namespace sim
