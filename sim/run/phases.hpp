// The work of the phases that concern every page of the data files: initial update and final audit. Tasks on all schedulers share a file's
// ranges; progress can be watched.
#pragma once

#include <atomic>
#include <cstdint>

#include "sim/context/run_context.hpp"
#include "sim/files/page_ranges.hpp"

namespace sim {

class WholeFileWork {
public:
    explicit WholeFileWork(RunContext& context) : context_(context) {}

    // Gives every page of the files that are not sparse a new version and writes it; the last ranges stay dirty for the checkpoint.
    ums::Task<void> initial_update(WorkCounters& counters, std::uint64_t seed);

    // Reads and verifies every page, from an empty pool; in holes of sparse files only what was written.
    ums::Task<void> final_audit(WorkCounters& counters);

    // 0 … 1. Any thread.
    [[nodiscard]] double done_fraction() const;

private:
    struct FileProgress {
        DataFile* data = nullptr;
        PageRanges ranges;
    };

    void begin(std::uint64_t total_pages);
    [[nodiscard]] std::uint32_t tasks_per_file(std::uint32_t pages_per_task) const;
    ums::Task<void> update_ranges(FileProgress& progress, WorkCounters& counters, std::uint64_t seed);
    ums::Task<void> audit_ranges(FileProgress& progress, WorkCounters& counters);
    ums::Task<void> empty_pool();
    ums::Task<bool> is_untouched_hole(DataFile& data, std::uint32_t first_page, std::uint32_t count, std::uint64_t& hole_end_bytes);

    RunContext& context_;
    std::atomic<std::uint64_t> done_pages_{0};
    std::atomic<std::uint64_t> total_pages_{0};
};

}  // namespace sim
