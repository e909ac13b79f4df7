// The passes over an entire file before and after a measurement: fill, examine, read back.
#pragma once

#include <atomic>
#include <cstdint>

#include "sim/bench/bench_file.hpp"
#include "sim/files/page_ranges.hpp"
#include "ums/sched/scheduler_group.hpp"

namespace sim {

class FilePasses {
public:
    FilePasses(ums::SchedulerGroup& schedulers, std::uint64_t seed) : schedulers_(schedulers), seed_(seed) {}

    // Writes every page once.
    ums::Task<void> fill(BenchFile& file);

    // Takes a file of an earlier run into the ledger. A page is accepted if it is sound in itself: checksum, file, number, run. Pages of
    // zeros must stay zeros. Nothing can be promised about pages of older runs; `foreign` counts them. A damaged page is a finding.
    ums::Task<void> examine(BenchFile& file, std::uint64_t& foreign);

    // Reads every page, and compares it with the ledger. Adds the number of pages to `pages`.
    ums::Task<void> read_back(BenchFile& file, std::uint64_t& pages);

private:
    using Step = ums::Task<void> (FilePasses::*)(BenchFile& file);
    ums::Task<void> run(BenchFile& file, Step step);
    ums::Task<void> fill_ranges(BenchFile& file);
    ums::Task<void> examine_ranges(BenchFile& file);
    ums::Task<void> read_ranges(BenchFile& file);
    void take(BenchFile& file, std::uint32_t page, const std::byte* image);

    ums::SchedulerGroup& schedulers_;
    const std::uint64_t seed_;
    PageRanges ranges_;
    std::atomic<std::uint64_t> count_{0};
};

}  // namespace sim
