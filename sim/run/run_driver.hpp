// Makes the parts of a run, leads them through the phases, and takes them down again in order.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sim/run/run_parts.hpp"
#include "sim/simulation.hpp"
#include "ums/base/machine.hpp"

namespace sim {

class RunDriver {
public:
    RunDriver(Options options, ums::Storage& storage, const ums::Clock& clock, EventSink& sink);
    ~RunDriver();

    Results run();
    void request_stop();
    [[nodiscard]] Progress progress() const;
    [[nodiscard]] Phase current_phase() const { return phase_.load(std::memory_order_relaxed); }

private:
    // Counters of all files at one moment.
    struct Totals {
        std::uint64_t read_bytes = 0;
        std::uint64_t written_bytes = 0;
        std::uint64_t pages_verified = 0;
        std::uint64_t log_bytes = 0;
    };

    ums::Task<void> main();
    ums::Task<void> open_files();
    void add_file(SimFile::Setup setup);
    [[nodiscard]] bool all_files_open() const;
    void remove_created_files();
    void make_parts();
    void close_files();

    ums::Task<void> run_cycle();
    ums::Task<void> phase(Phase phase, ums::Task<void>& work);
    ums::Task<void> main_run(std::uint64_t seed);
    ums::Task<void> final_audit();
    void allow_bursts(bool allowed);

    void start_services();
    ums::Task<void> stop_services();
    ums::Task<void> record_time_series();

    [[nodiscard]] Totals totals() const;
    void collect_files();
    void collect_users();
    void decide_outcome();

    Options options_;
    const ums::Machine machine_;
    ums::Storage& storage_;
    const ums::Clock& clock_;
    Journal journal_;
    RunState run_;
    const std::uint64_t run_id_;
    std::unique_ptr<ums::SchedulerGroup> schedulers_;
    std::unique_ptr<ums::Semaphore> outstanding_;
    std::unique_ptr<RunParts> parts_;
    mutable std::mutex parts_mutex_;  // held by progress() while it looks at parts_, and while they are taken down
    std::atomic<bool> ready_{false};  // all parts are there
    std::uint32_t next_cpu_ = 0;
    Results results_;

    std::atomic<Phase> phase_{Phase::create};
    std::atomic<std::uint32_t> cycle_{1};
    std::atomic<std::uint64_t> phase_start_ns_{0};
};

}  // namespace sim
