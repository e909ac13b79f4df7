// Checkpoint: writes every page that was dirty when it began, adjacent ones together, and lets the log forget what came before.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "sim/context/run_context.hpp"
#include "sim/log/checkpoint_records.hpp"

namespace sim {

class Checkpoint {
public:
    explicit Checkpoint(RunContext& context) : context_(context) {}

    // One checkpoint, from the dirty pages found to the truncated log. Several callers take turns. Hold no latch. Broken off, and the log
    // not truncated, if the run stops or the main run ends meanwhile.
    ums::Task<void> run_once();

    // The service: a checkpoint whenever the log wants one, and every CheckpointInterval while it is periodic, until stop().
    ums::Task<void> serve();
    void set_periodic(bool periodic) { periodic_.store(periodic, std::memory_order_relaxed); }
    void stop();

    // Between the two no checkpoint runs.
    ums::Task<void> pause() { co_await one_at_a_time_.acquire(ums::LatchMode::exclusive, ums::WaitType::checkpoint_queue); }
    void resume() { one_at_a_time_.release(ums::LatchMode::exclusive); }

    // Share of the current pass that is written, 0 … 1. Any thread.
    [[nodiscard]] double done_fraction() const;

private:
    ums::Task<void> write_dirty_pages();
    ums::Task<void> collect();
    ums::Task<void> write_all();
    ums::Task<void> write_some();
    ums::Task<void> sync_files();
    [[nodiscard]] bool is_broken_off();
    ums::Task<bool> log_end(const CheckpointBegin& begin);

    RunContext& context_;
    ums::Latch one_at_a_time_;
    std::atomic<bool> stopping_{false};
    std::atomic<bool> periodic_{false};
    std::atomic<bool> was_abandoned_{false};  // this pass left pages to the next one
    std::vector<std::uint64_t> dirty_;        // packed page keys, ascending
    std::atomic<std::size_t> next_{0};        // of dirty_
    std::atomic<std::size_t> total_{0};
};

}  // namespace sim
