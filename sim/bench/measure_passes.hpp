// The passes over an entire file before and after a load: fill, mark, read back.
#pragma once

#include <atomic>
#include <cstdint>

#include "sim/bench/measure_files.hpp"
#include "sim/bench/measure_spec.hpp"
#include "sim/journal/journal.hpp"
#include "sim/journal/run_state.hpp"
#include "ums/sched/scheduler_group.hpp"

namespace sim {

class MeasurePasses {
public:
    MeasurePasses(ums::SchedulerGroup& schedulers, RunState& run, Journal& journal)
        : schedulers_(schedulers), run_(run), journal_(journal) {}

    // Writes all of a new file as `source` says, because reads of space that was never written would not reach the device.
    ums::Task<void> fill(MeasureFile& file, const MeasureSource& source, std::uint64_t seed);
    // Puts the mark for data other than pages into an existing file, before its first write.
    ums::Task<void> mark(MeasureFile& file);
    // Reads, through `handle`, the pages or sectors that this measurement wrote, compares them, and returns their number.
    ums::Task<std::uint64_t> read_back(MeasureFile& file, ums::FileHandle handle);

private:
    ums::Task<bool> transfer(MeasureFile& file, ums::FileHandle handle, ums::IoOperation operation, std::uint64_t offset_bytes,
                             std::byte* data, std::uint64_t size_bytes);
    ums::Task<bool> begin_file(MeasureFile& file, std::uint64_t size_bytes);
    ums::Task<void> fill_ranges(MeasureFile& file, const MeasureSource& source, std::uint64_t seed, std::uint64_t end_bytes);
    ums::Task<void> read_ranges(MeasureFile& file, ums::FileHandle handle);

    ums::SchedulerGroup& schedulers_;
    RunState& run_;
    Journal& journal_;
    std::atomic<std::uint64_t> next_offset_bytes_{0};
    std::atomic<std::uint64_t> count_{0};
};

}  // namespace sim
