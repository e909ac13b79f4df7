// The load of one timespan: tasks that each keep one request outstanding, grouped into threads. A lane is what one thread does on one
// target: its position, its rate and pauses, its counts. A lane belongs to one scheduler.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/bench/measure_files.hpp"
#include "sim/bench/measure_results.hpp"
#include "sim/bench/measure_spec.hpp"
#include "sim/bench/offset_chooser.hpp"
#include "sim/journal/journal.hpp"
#include "sim/journal/run_state.hpp"
#include "ums/base/local_counter.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/sched/event.hpp"
#include "ums/sched/task.hpp"

namespace sim {

// What all threads share about a target.
struct MeasureTargetWork {
    const MeasureTarget& spec;
    MeasureDoor door;
    TargetRange range;
    bool is_verified = false;  // reads of it
    std::atomic<std::uint64_t> pages_verified{0};
    std::atomic<std::uint64_t> pages_not_judged{0};
    double hole_percent = 0;  // MeasureTargetFacts::hole_percent

    MeasureTargetWork(const MeasureTarget& target, const MeasureDoor& opened)
        : spec(target), door(opened), range(target, opened.file->size_bytes) {}
};

// Which requests count: those that complete in [begin_ns, end_ns). Set before the start; `end_ns` may be moved to an
// earlier time.
struct MeasureWindow {
    std::uint64_t begin_ns = 0;
    std::atomic<std::uint64_t> end_ns{0};
};

struct MeasureShared {
    const MeasureTimespan& spec;
    ums::Event& stop;  // no new requests
    RunState& run;
    Journal& journal;
    std::array<ums::LocalCounter, kCpusMax>& live_requests;  // completed, by scheduler
    MeasureWindow window{};
    // Memory for large blocks takes a second to get, which is not the storage's: the first request waits until every task has its own.
    std::atomic<std::size_t> unready{1};  // tasks, and whoever spawns them
    ums::Event ready{};                   // nobody is unready
    ums::Event start{};

    void one_is_ready() {
        if (unready.fetch_sub(1, std::memory_order_acq_rel) == 1) ready.set();
    }
};

struct MeasureLane {
    MeasureLane(MeasureTargetWork& of_target, std::uint32_t thread_of_target, std::uint32_t share)
        : work(of_target), weight(share), chooser(of_target.spec, of_target.range, thread_of_target) {}

    MeasureTargetWork& work;
    const std::uint32_t weight;  // relative to the other lanes of its thread
    OffsetChooser chooser;
    MeasureRow row;
    double next_start_ns = 0;             // with a rate: when the next request is to start
    std::uint64_t last_start_ns = 0;      // with a rate: when the last one that was chosen is to start, or has started
    bool run_writes = false;              // whether the requests since the last random one are writes
    std::uint32_t requests_of_burst = 0;  // since the last pause
    std::uint64_t pause_until_ns = 0;
    std::uint32_t writes_since_flush = 0;
};

struct MeasureThread {
    std::uint32_t scheduler = 0;
    std::vector<std::unique_ptr<MeasureLane>> lanes;
    // The blocks of its tasks, side by side: contiguous for the device as well, and not all in the same few cache sets, which cost a fifth
    // of the reads on a disk that answers 64 at a time. Made by its first task. Memory registered with engines must stay until they are
    // gone: the thread outlives them.
    ums::MemoryRegion memory;
    std::size_t memory_used_bytes = 0;
    std::uint64_t weights = 0;  // of all lanes, if a task may use any
};

// The blocks of all its tasks: what its first task will make.
[[nodiscard]] std::size_t memory_bytes_of(const MeasureTimespan& spec, const MeasureThread& thread);

// One task: on `lane` of the thread or, if that is null, each time on a lane chosen by weight. Ends when `shared.stop` is set, or the run
// stops. All references must outlive it.
ums::Task<void> run_measure_task(MeasureShared& shared, MeasureThread& thread, MeasureLane* lane, std::uint64_t seed);

}  // namespace sim
