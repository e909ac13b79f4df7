// How a step of growth of the log is prepared and divided, as SQL Server has done it since 2022: up to 64 MB are not zeroed and make one
// virtual log file; more is zeroed, and makes 8, above 1 GB 16, or one if the step is below an eighth of the log. Pure. Source: Microsoft,
// "Database instant file initialization" and the log architecture guide.
#pragma once

#include <cstdint>

namespace sim {

struct GrowthPlan {
    bool is_zeroed = true;
    std::uint32_t vlfs = 1;

    friend bool operator==(const GrowthPlan&, const GrowthPlan&) = default;
};

// `log_bytes`: all log files together, before the step. If not `is_instant`: one virtual log file of zeros, ioproof's default.
[[nodiscard]] GrowthPlan plan_growth(bool is_instant, std::uint64_t growth_bytes, std::uint64_t log_bytes);

// The virtual log files of a step that is not under an eighth of the log.
[[nodiscard]] std::uint32_t vlfs_of_large_growth(std::uint64_t growth_bytes);

}  // namespace sim
