// All parts of a run on files in memory, in virtual time, without users: for tests of the workers. The storage can be made to fail or to
// hold requests back (FaultyStorage), and `requests` records what reaches it.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>

#include "sim/run/run_parts.hpp"
#include "tests/sim/support/collecting_sink.hpp"
#include "tests/sim/support/faulty_storage.hpp"
#include "tests/sim/support/memory_storage.hpp"
#include "tests/sim/support/request_log.hpp"

namespace sim::testing {

class WorkerWorld {
public:
    static constexpr std::uint64_t kPoolBytes = 4 << 20;

    // One data file of 8 MB, one log file of 8 MB (four VLFs), one CPU; `options` may be changed before run().
    WorkerWorld();
    // A file for snapshots of the data file. Before run().
    void add_replica(std::uint64_t initial_size_mb) {
        options.files.push_back(
            {.path = options.files[0].path + ":replica", .initial_size_mb = initial_size_mb, .max_size_mb = 8, .sparse = true});
    }

    // Runs `body(world)`, a coroutine that returns Task<void>. The log writer runs concurrently.
    template <typename Body>
    void run(Body&& body) {
        ums::SchedulerGroupOptions group_options;
        group_options.cpu_count = options.cpu_count;
        group_options.shuffle_seed = shuffle_seed;
        ums::SchedulerGroup group(group_options, storage, clock);
        schedulers = &group;
        auto main = [](WorkerWorld& world, Body& work) -> ums::Task<void> {
            co_await world.open();
            std::exception_ptr failure;
            try {
                co_await work(world);
            } catch (...) {
                failure = std::current_exception();
            }
            co_await world.close();
            if (failure) std::rethrow_exception(failure);
        };
        group.run(main(*this, body));
        schedulers = nullptr;
    }

    // Gives the page a new version, as a user does, with a log record of this size. Returns its LSN.
    ums::Task<std::uint64_t> change_page(std::uint32_t page, std::uint64_t record_bytes = 64);
    // To be awaited.
    [[nodiscard]] auto sleep_ms(std::uint64_t duration_ms) const { return ums::sleep_until(clock.now_ns() + duration_ms * ums::kNsPerMs); }
    // Holds back writes of the data file from now on, but not those of the log.
    void hold_data_writes();
    void release_data_writes();

    [[nodiscard]] RunContext& context() { return *parts->context; }
    [[nodiscard]] DataFile& data() { return *parts->data_files.front(); }
    [[nodiscard]] bool is_dirty(std::uint32_t page);
    // The VLF that contains `lsn` still holds what was written there.
    [[nodiscard]] bool keeps_log_of(std::uint64_t lsn);

    ums::VirtualClock clock;
    MemoryStorage memory{clock, random_disk(1, 50, 150)};
    FaultyStorage storage{memory, clock};
    RequestLog requests;
    CollectingSink sink;
    Journal journal{clock, sink};
    RunState state;
    Options options;
    std::uint64_t shuffle_seed = 0;  // of the order of tasks; 0: not shuffled
    bool has_promises = false;       // acknowledged writes are kept in parts->promises

    // Only within run().
    ums::SchedulerGroup* schedulers = nullptr;
    std::unique_ptr<RunParts> parts;

private:
    ums::Task<void> open();
    ums::Task<void> close();

    ums::Semaphore outstanding_{kOutstandingIoMax};
};

}  // namespace sim::testing
