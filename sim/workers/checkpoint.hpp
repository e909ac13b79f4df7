// Checkpoint: writes every page that was dirty when it began, adjacent ones together, and lets the log forget what came before.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/context/run_context.hpp"
#include "sim/log/checkpoint_records.hpp"
#include "sim/workers/checkpoint_pace.hpp"

namespace sim {

class Checkpoint {
public:
    explicit Checkpoint(RunContext& context);

    // One immediate checkpoint, from the dirty pages found to the truncated log. Several callers take turns; one of the service that is in
    // progress then writes what is left of it at once. Hold no latch. Aborted, without truncating the log, if the run stops or the main run
    // ends meanwhile; none begins while users are ending.
    ums::Task<void> run_once() { co_await run_whole(); }
    // The same. False: it was aborted, or none began.
    ums::Task<bool> run_whole() { return run(Haste::at_once); }

    // The service: a checkpoint whenever the log requests one and, while it is periodic, every CheckpointInterval, until stop(). With
    // TargetRecoveryTime, it is indirect while it is periodic: passes that write a little at a time, as much as the target and the log
    // require.
    ums::Task<void> serve();
    void set_periodic(bool periodic) { periodic_.store(periodic, std::memory_order_relaxed); }
    void stop();

    // No checkpoint runs between these two.
    ums::Task<void> pause() { co_await one_at_a_time_.acquire(ums::LatchMode::exclusive, ums::WaitType::checkpoint_queue); }
    void resume() { one_at_a_time_.release(ums::LatchMode::exclusive); }

    // Share of the current pass that has been written, 0 … 1. Any thread.
    [[nodiscard]] double done_fraction() const;

private:
    enum class Haste : std::uint8_t {
        as_needed,  // indirect: little by little
        automatic,  // at fixed intervals: slower while writes take too long
        at_once,    // a task waits for it
    };

    ums::Task<bool> run(Haste haste);
    ums::Task<bool> write_dirty_pages(Haste haste);
    ums::Task<void> collect();
    ums::Task<void> write_all(Haste haste);
    ums::Task<void> write_little_by_little();
    ums::Task<void> write_up_to(std::size_t end, Haste haste);
    ums::Task<void> write_some(std::uint32_t number, std::size_t end, Haste haste);
    ums::Task<void> wait_for_turn(std::uint32_t number, std::size_t end);
    ums::Task<void> serve_by_the_clock();
    ums::Task<void> serve_by_the_target();
    [[nodiscard]] std::optional<std::size_t> take_next(std::size_t end);
    [[nodiscard]] std::uint64_t dirty_pages() const;
    [[nodiscard]] std::uint64_t dirty_target() const;
    void look_at_writes();
    ums::Task<void> sync_files();
    [[nodiscard]] bool is_broken_off();
    [[nodiscard]] bool is_waited_for() const;

    // Pages about which the checkpoint promises nothing.
    struct Exceptions {
        std::vector<UnknownPage> pages;
        bool are_too_many = false;
    };
    [[nodiscard]] Exceptions find_exceptions() const;
    ums::Task<bool> log_end(const CheckpointBegin& begin, const Exceptions& exceptions);

    RunContext& context_;
    ums::Latch one_at_a_time_;
    std::atomic<bool> stopping_{false};
    std::atomic<bool> periodic_{false};
    std::atomic<bool> was_abandoned_{false};  // this pass left pages to the next one
    std::atomic<std::uint32_t> waiting_{0};   // immediate checkpoints that wait for their turn
    std::vector<std::uint64_t> dirty_;        // packed page keys, ascending
    std::atomic<std::size_t> next_{0};        // index into dirty_
    std::atomic<std::size_t> total_{0};
    SlowWrites slow_writes_;
    std::uint64_t next_look_ns_ = 0;  // when to check the duration of writes again; used by the first writer
};

}  // namespace sim
