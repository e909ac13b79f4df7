// All logical CPUs of a run: creates one scheduler and one I/O engine for each, runs them, and ends when the main task has ended.
//
// With a real clock every scheduler has an OS thread of its own. With a virtual clock all of them take turns on the calling thread and time
// jumps to the next event when no task can run: the same seed gives the same run. Several groups can share one virtual time, as for hosts
// that share a storage: run_together().
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ums/base/clock.hpp"
#include "ums/base/prng.hpp"
#include "ums/io/storage.hpp"
#include "ums/sched/scheduler.hpp"
#include "ums/sched/task_group.hpp"

namespace ums {

struct SchedulerGroupOptions {
    std::uint32_t cpu_count = 1;
    std::vector<std::uint32_t> cpus{};  // to which the schedulers' threads are bound in turn, in this order; empty = not bound
    bool binds_engines = false;         // likewise the engines' own threads, each to the CPU of its scheduler
    EngineOptions engine;
    // Queued requests are submitted earlier than every 16 us if the device might idle, because it has few requests or because many are
    // queued: for this many requests at the device one may stay queued. 4 saves a sixth of the CPU time on a disk that needs 64 requests to
    // be busy, and keeps a disk that needs 16 as fast as a call after every page does. More: more calls, and a device that 64 requests do
    // not saturate gets a few percent more of them.
    std::uint32_t started_for_one_queued = 4;
    // Finds bugs that depend on the order of tasks; 0 = off. Otherwise each scheduler picks a runnable task at random from this seed,
    // yield_if_due() always yields, and with a virtual clock a scheduler now and then misses its turn. With a virtual clock the same seed
    // gives the same run.
    std::uint64_t shuffle_seed = 0;
};

class SchedulerGroup {
public:
    // Throws std::system_error, with a line for people, if the requested engine is not available.
    SchedulerGroup(const SchedulerGroupOptions& options, Storage& storage, const Clock& clock);

    // `callback` is called once during run(), on a scheduler's thread between tasks, when MemoryReserve::is_spent(): it should make all
    // tasks end soon. Before run().
    void on_memory_short(std::function<void()> callback) { on_memory_short_ = std::move(callback); }

    // See Scheduler::on_task_failed(). On the failed task's thread. Before run().
    void on_task_failed(const std::function<void(const std::exception_ptr&)>& callback) {
        for (const auto& scheduler : schedulers_) scheduler->on_task_failed(callback);
    }

    // Runs `main` on scheduler 0 until it has ended and every request has come back. Every task that `main` starts must have been joined by
    // then (asserted). Rethrows what leaves `main`. Once per group. Throws std::system_error, before anything has run, if the system
    // refuses a thread.
    void run(Task<void> main);

    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(schedulers_.size()); }
    [[nodiscard]] Scheduler& operator[](std::uint32_t id) { return *schedulers_[id]; }
    [[nodiscard]] const Clock& clock() const { return clock_; }
    // The engine of the first scheduler, and one line on why it was not the first choice, or empty. If only some schedulers have another
    // one, the line begins with their number: "1 of 2 schedulers: io_uring is not used because ...".
    [[nodiscard]] std::string_view engine_name() const { return schedulers_[0]->engine().name(); }
    [[nodiscard]] const std::string& engine_reason() const { return engine_reason_; }
    // An engine has fewer threads than it needs, see IoEngine::is_short_of_threads(). Any thread.
    [[nodiscard]] bool is_short_of_threads() const;

    // The steps of run() with a virtual clock; for run_together(). Once per group, in this order.
    void start(Task<void> main);
    // Runs what can run now. False: nothing can run before next_event_ns().
    bool turn();
    [[nodiscard]] std::uint64_t next_event_ns() const;
    // Accounts for a jump of the time.
    void count_idle(std::uint64_t idle_ns);
    // `main` has ended, and every request has come back.
    [[nodiscard]] bool is_over() const { return stopping_.load(std::memory_order_relaxed) && is_drained(); }
    // Rethrows what left `main`.
    void finish();

private:
    Task<void> run_main(Task<void> main);
    void stop();
    void run_threads(const std::function<void()>& start_main);
    [[nodiscard]] bool is_drained() const;
    void thread_loop(Scheduler& scheduler);
    void watch_memory();

    const SchedulerGroupOptions options_;
    const Clock& clock_;
    std::string engine_reason_;
    std::vector<std::unique_ptr<Scheduler>> schedulers_;
    std::atomic<bool> stopping_{false};
    TaskGroup main_task_;
    std::exception_ptr failure_;  // the exception that left `main`
    std::optional<Prng> shuffle_;
    std::function<void()> on_memory_short_;
    std::atomic<bool> has_reported_memory_short_{false};
};

// Runs started groups on the calling thread until all are over. All must use the clock `clock`; time jumps when no task of any group can
// run. `on_over` is called with the index of each group in `groups` as soon as that group is over; it must not throw.
void run_together(std::span<SchedulerGroup* const> groups, VirtualClock& clock, const std::function<void(std::size_t index)>& on_over);

}  // namespace ums
