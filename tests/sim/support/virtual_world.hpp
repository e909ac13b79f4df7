// Files without a disk, in virtual time: the test's rule decides how long requests take and how they end; no data is moved. For tests of
// time, order and errors.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "sim/files/data_file.hpp"
#include "sim/journal/run_state.hpp"
#include "tests/sim/support/collecting_sink.hpp"
#include "tests/sim/support/faulty_storage.hpp"
#include "tests/support/manual_engine.hpp"
#include "ums/sched/scheduler_group.hpp"

namespace sim::testing {

class VirtualWorld {
public:
    explicit VirtualWorld(std::uint64_t outstanding_max = kOutstandingIoMax, std::uint32_t cpu_count = 1)
        : outstanding(outstanding_max), load{.cpu_count = cpu_count} {}

    // A file that need not be created first.
    [[nodiscard]] SimFile::Setup setup(std::uint32_t id, std::uint64_t size_bytes, bool is_log = false) const {
        SimFile::Setup result;
        result.id = id;
        result.options.path = "f" + std::to_string(id) + (is_log ? ".ldx" : ".mdx");
        result.options.is_log = is_log;
        result.transfers.value = static_cast<std::int32_t>(id);
        result.control.value = static_cast<std::int32_t>(id);
        result.size_bytes = size_bytes;
        return result;
    }
    [[nodiscard]] std::unique_ptr<SimFile> make_file(SimFile::Setup with) {
        return std::make_unique<SimFile>(std::move(with), FileContext{storage, outstanding, state, journal, load});
    }
    [[nodiscard]] std::unique_ptr<SimFile> make_file(std::uint32_t id, std::uint64_t size_bytes, bool is_log = false) {
        return make_file(setup(id, size_bytes, is_log));
    }

    // Every request takes this long, and nothing goes wrong.
    void set_duration_ns(std::uint64_t duration_ns) {
        storage.set_rule([duration_ns](const ums::IoRequest&) { return Fate{.delay_ns = duration_ns}; });
    }

    // Runs the coroutine `body(world)` as the main task.
    template <typename Body>
    void run(Body&& body) {
        ums::SchedulerGroupOptions options;
        options.cpu_count = load.cpu_count;
        ums::SchedulerGroup group(options, storage, clock);
        schedulers = &group;
        group.run(body(*this));
        schedulers = nullptr;
    }

    [[nodiscard]] std::uint64_t now_us() const { return clock.now_ns() / 1000; }

    ums::VirtualClock clock;
    ums::testing::ManualStorage manual{clock};
    FaultyStorage storage{manual, clock};
    CollectingSink sink;
    Journal journal{clock, sink};
    RunState state;
    ums::Semaphore outstanding;
    FileLoad load;                              // of the files that are created from now on
    ums::SchedulerGroup* schedulers = nullptr;  // only within run()
};

}  // namespace sim::testing
