// One logical CPU: a thread that runs tasks in turn, without preemption, with an I/O engine and timers of its own. As in SQLOS, tasks run
// until they wait or yield (quantum 4 ms), finished I/O is collected between them, and the thread sleeps in the kernel only when there is
// nothing to run.
//
// A turn: accept what other schedulers woke; start queued I/O and collect finished I/O in one call; fire timers; run what is runnable;
// finally, with all possible I/O started, run a task that has to compute.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "ums/base/assert.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/prng.hpp"
#include "ums/base/units.hpp"
#include "ums/io/io_engine.hpp"
#include "ums/sched/task.hpp"
#include "ums/sched/task_group.hpp"
#include "ums/sched/timer_queue.hpp"
#include "ums/sched/wait_type.hpp"
#include "ums/sched/waiter.hpp"

namespace ums {

// The identity of a running task: one per spawned task; its forked children share it. Shown in reports ("User") and histories.
struct Worker {
    std::string name;
    std::uint64_t quantum_start_ns = 0;  // when it last got the CPU
};

// How long a task should run before it yields, as in SQLOS.
inline constexpr std::uint64_t kQuantumNs = 4 * kNsPerMs;

// What sys.dm_os_schedulers would show. Written by the scheduler's thread; read when it has stopped.
struct SchedulerStatistics {
    std::uint64_t switches = 0;          // a task got the CPU; `waits` counts each as a wait, the start of a task as SOS_SCHEDULER_YIELD
    std::uint64_t yields = 0;            // switches after a yield
    std::uint64_t quantum_overruns = 0;  // a task kept the CPU for more than two quanta
    std::uint64_t turns = 0;
    std::uint64_t idle_ns = 0;  // asleep in the kernel; with a virtual clock: time that was skipped
    std::uint64_t io_requests = 0;
    std::uint64_t wakeups_from_others = 0;
    WaitTable waits{};
};

class Scheduler {
public:
    // `started_for_one_queued`, `shuffle_seed`: see SchedulerGroupOptions.
    Scheduler(std::uint32_t id, const Clock& clock, std::unique_ptr<IoEngine> engine, std::uint32_t started_for_one_queued,
              std::uint64_t shuffle_seed);
    Scheduler(const Scheduler&) = delete;
    Scheduler& operator=(const Scheduler&) = delete;
    // Asserts that no task and no request is left.
    ~Scheduler();

    // The scheduler that runs the calling task. Must only be called from a task.
    static Scheduler& current();
    // The same, or null outside of schedulers.
    static Scheduler* current_or_null();

    [[nodiscard]] std::uint32_t id() const { return id_; }
    [[nodiscard]] std::uint64_t now_ns() const { return clock_.now_ns(); }
    [[nodiscard]] const Clock& clock() const { return clock_; }
    [[nodiscard]] const IoEngine& engine() const { return *engine_; }

    // The task that is running. Own thread.
    [[nodiscard]] Worker& worker() const {
        UMS_ASSERT(worker_ != nullptr);
        return *worker_;
    }

    // Starts an independent task under `name` on this scheduler. Any thread; a thread that runs no scheduler must keep the group of
    // schedulers alive until the call has returned (as with Event::set() and everything else that wakes a task).
    void spawn(TaskGroup& group, std::string name, Task<void> task);

    // Starts a child of the running task, under the same name, on the same scheduler. Own thread. The running task must join it before it
    // ends.
    void fork(TaskGroup& group, Task<void> task);

    // Makes a suspended task of this scheduler run again. Any thread; the waiter must not be in any list.
    void make_runnable(Waiter& waiter);

    struct IoAwaiter {
        Scheduler& scheduler;
        IoRequest& request;
        WaitType wait_type;
        Waiter waiter{};
        [[nodiscard]] bool await_ready() const noexcept { return false; }
        bool await_suspend(std::coroutine_handle<> suspended);
        void await_resume() const noexcept {}
    };

    // Posts a request on this scheduler's engine and waits until it has come back. Own thread.
    [[nodiscard]] IoAwaiter io(IoRequest& request, WaitType wait_type = WaitType::io_completion) {
        return IoAwaiter{*this, request, wait_type};
    }

    // Suspends the running task, if `needed`, and puts it into a queue of its scheduler.
    struct YieldAwaiter {
        using Queue = void (Scheduler::*)(Waiter&);
        Scheduler& scheduler;
        bool needed;
        Queue queue;
        Waiter waiter{};
        [[nodiscard]] bool await_ready() const noexcept { return !needed; }
        void await_suspend(std::coroutine_handle<> suspended);
        void await_resume() const noexcept {}
    };

    // Goes to the back of the runnable queue. Own thread.
    [[nodiscard]] YieldAwaiter yield() { return {*this, true, &Scheduler::queue_yielding}; }
    // The same if the quantum is used up; to be called in long loops.
    [[nodiscard]] YieldAwaiter yield_if_due() {
        return {*this, shuffle_.has_value() || now_ns() - worker().quantum_start_ns >= kQuantumNs, &Scheduler::queue_yielding};
    }

    // To be called by a task that is about to compute on pages for microseconds (verify them, build them): tasks that may start I/O run
    // first, and queued requests are started, so that the device does not idle meanwhile. Takes a few microseconds at most; does nothing if
    // nothing would be gained, as with `has_device` = false: there is no device that could idle. One call between any two pages is enough.
    // Not counted as a yield. Own thread.
    [[nodiscard]] YieldAwaiter before_computing(bool has_device) {
        return {*this, has_device && should_yield_before_computing(), &Scheduler::queue_computing};
    }

    // Most requests come back from the very call that starts them: they take this CPU's time and no device works meanwhile, so nothing is
    // gained by starting requests early. Own thread.
    [[nodiscard]] bool device_completes_immediately() const { return completes_immediately_; }

    // See IoEngine::use_memory(). Own thread.
    void use_memory(std::byte* data, std::size_t size_bytes) { engine_->use_memory(data, size_bytes); }

    // Timers of this scheduler. Own thread.
    [[nodiscard]] TimerQueue& timers() { return timers_; }

    // Calls `visit(request)` for each request that has been outstanding since before `submitted_before_ns`, oldest first. Own thread.
    template <typename Visitor>
    void visit_pending_io(std::uint64_t submitted_before_ns, Visitor&& visit) {
        for (IoRequest* request = pending_.front(); request != nullptr; request = pending_.next(*request)) {
            if (request->submitted_ns >= submitted_before_ns) break;
            visit(*request);
        }
    }

    // Called on the scheduler's thread as soon as an exception leaves a task that was spawned or forked: the task that joins it may be
    // late. Must not throw. Before the first task.
    void on_task_failed(std::function<void(const std::exception_ptr&)> callback) { on_task_failed_ = std::move(callback); }

    // Runs what can run. False if there was nothing to run. For SchedulerGroup, on this scheduler's thread.
    bool turn();
    // Virtual time only: time has jumped by this much because nothing could run. For SchedulerGroup.
    void count_idle(std::uint64_t idle_ns) { statistics_.idle_ns += idle_ns; }
    // Sleeps until there may be something to run, `timeout_ns` at most; not at all if `stopping`. For SchedulerGroup.
    void sleep(std::uint64_t timeout_ns, const std::atomic<bool>& stopping);
    // Ends a sleep. Any thread.
    void wake();
    // The nearest deadline or simulated completion, or kNever.
    [[nodiscard]] std::uint64_t next_event_ns() const;
    // No task, no request: the thread may end.
    [[nodiscard]] bool is_drained() const;
    // Tasks that were started here and have not ended. Any thread, as an estimate.
    [[nodiscard]] std::uint32_t task_count() const { return task_count_.load(std::memory_order_relaxed); }

    // Own thread, or after the group has stopped.
    [[nodiscard]] const SchedulerStatistics& statistics() const { return statistics_; }
    // Tasks waiting for I/O; may be read by others as an estimate.
    [[nodiscard]] std::uint32_t pending_io() const { return pending_count_.load(std::memory_order_relaxed); }
    // When the oldest of their requests was posted, 0 if there is none; the same.
    [[nodiscard]] std::uint64_t oldest_io_ns() const { return oldest_io_ns_.load(std::memory_order_relaxed); }

private:
    friend struct Waiter;
    struct Root;  // the outermost coroutine of a spawned or forked task

    static Root run_root(Task<void> task, TaskGroup& group, Scheduler& scheduler);
    void start(TaskGroup& group, Task<void> task, std::string name, Worker* parent);
    void make_runnable(Waiter& waiter, std::uint64_t now_ns);
    void take_inbox();
    [[nodiscard]] bool has_many_started() const;
    [[nodiscard]] bool should_start_queued() const;
    [[nodiscard]] bool is_device_saturated(std::uint64_t now_ns) const;
    void collect_io(std::uint64_t& now_ns);
    void note_oldest_io();
    [[nodiscard]] bool has_nothing_to_run() const { return runnable_.empty() && computing_.empty(); }
    [[nodiscard]] bool should_submit_when_sleeping();
    [[nodiscard]] bool perform_immediately(IoRequest& request);
    [[nodiscard]] bool should_yield_before_computing();
    void make_runnable_here(Waiter& waiter);
    void queue_yielding(Waiter& waiter);
    void queue_computing(Waiter& waiter);
    [[nodiscard]] WaitQueue take_batch();
    [[nodiscard]] bool run_batch(std::uint64_t& now_ns);
    [[nodiscard]] bool run_computing(std::uint64_t& now_ns);
    void run(Waiter& waiter, std::uint64_t& now_ns);
    void count_wait(const Waiter& waiter, std::uint64_t now_ns);

    const std::uint32_t id_;
    const Clock& clock_;
    const std::unique_ptr<IoEngine> engine_;
    const std::uint32_t started_for_one_queued_;
    std::function<void(const std::exception_ptr&)> on_task_failed_;

    // Own thread only.
    WaitQueue runnable_;
    std::uint32_t runnable_count_ = 0;  // including those that the current turn has taken, and not run yet
    WaitQueue computing_;               // runnable, too, but after tasks that may start I/O
    bool is_computing_ = false;         // the running task is one of these
    TimerQueue timers_;
    std::uint32_t queued_io_ = 0;         // requests posted since I/O was last collected
    std::uint64_t collected_ns_ = 0;      // when that was
    std::uint64_t call_ns_ = 0;           // how long that took, of a device that completes immediately
    bool completes_immediately_ = false;  // the last call that started requests brought most of them back
    std::uint32_t sleeps_since_poll_ = 0;
    std::uint32_t pages_since_clock_ = 0;
    Fifo<IoRequest, PendingTag> pending_;
    Worker* worker_ = nullptr;
    std::uint64_t suspended_ns_ = 0;  // when the running task suspended itself, 0 while it has not
    std::optional<Prng> shuffle_;
    SchedulerStatistics statistics_;

    // Used by other threads, too; on a cache line that the scheduler's own counters do not disturb.
    alignas(64) std::atomic<Waiter*> inbox_{nullptr};
    std::atomic<bool> asleep_{false};
    std::atomic<std::uint32_t> task_count_{0};
    std::atomic<std::uint32_t> pending_count_{0};
    std::atomic<std::uint64_t> oldest_io_ns_{0};
};

}  // namespace ums
