#include "ums/sched/scheduler.hpp"

#include <algorithm>
#include <utility>

#include "ums/base/assert.hpp"

namespace ums {

namespace {

thread_local Scheduler* current_scheduler = nullptr;

// While tasks keep the CPU busy, queued requests are submitted and completions collected at least this often, so that the device does not
// idle while pages are verified.
constexpr std::uint64_t kCollectIntervalNs = 16 * kNsPerUs;
// If the device completes requests during the call that submits them, as long as that call took, up to this: all tasks whose requests it
// brought back then have their answers before the next call, instead of some waiting for a second one.
constexpr std::uint64_t kCollectIntervalMaxNs = 250 * kNsPerUs;
// Only one page in this many reads the clock, which costs a tenth of a page's time.
constexpr std::uint32_t kPagesForClock = 4;
// A sleep that submits requests cannot tell whether the device completes immediately, so one in this many is replaced by a poll, which can.
constexpr std::uint32_t kSleepsPerPoll = 64;
// The length of one turn; also how long a task that computes on pages may have to wait for tasks that may start I/O.
constexpr std::uint64_t kTurnNs = 4 * kNsPerUs;
// A task that never waits, because its files are in memory, moves to the back of the queue after this time.
constexpr std::uint64_t kImmediateNs = 20 * kNsPerUs;

}  // namespace

void Waiter::suspend(std::coroutine_handle<> suspended, WaitType type) {
    scheduler = &Scheduler::current();
    handle = suspended;
    worker = &scheduler->worker();
    wait_type = type;
    wait_start_ns = scheduler->now_ns();
    // The task does nothing more, so its run ends now and the next one starts: one clock reading serves all three purposes.
    scheduler->suspended_ns_ = wait_start_ns;
}

struct Scheduler::Root {
    struct promise_type {
        Waiter start;
        Worker own_worker;  // not used by a forked child

        static void* operator new(std::size_t size_bytes) { return allocate_frame(size_bytes); }
        static void operator delete(void* frame, std::size_t size_bytes) noexcept { free_frame(frame, size_bytes); }

        Root get_return_object() noexcept { return Root{std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() noexcept {}
        void unhandled_exception() noexcept { UMS_ASSERT(false && "an exception left a root task"); }
    };
    std::coroutine_handle<promise_type> handle;
};

Scheduler::Root Scheduler::run_root(Task<void> task, TaskGroup& group, Scheduler& scheduler) {
    std::exception_ptr exception;
    {
        const Task<void> body = std::move(task);
        try {
            co_await body;
        } catch (...) {
            exception = std::current_exception();
        }
    }
    if (exception && scheduler.on_task_failed_) scheduler.on_task_failed_(exception);
    scheduler.task_count_.fetch_sub(1, std::memory_order_relaxed);
    group.finished(std::move(exception));
}

Scheduler::Scheduler(std::uint32_t id, const Clock& clock, std::unique_ptr<IoEngine> engine, std::uint32_t started_for_one_queued,
                     std::uint64_t shuffle_seed)
    : id_(id), clock_(clock), engine_(std::move(engine)), started_for_one_queued_(started_for_one_queued) {
    if (shuffle_seed != 0) shuffle_.emplace(mix64(shuffle_seed) + id);
}

Scheduler::~Scheduler() { UMS_ASSERT(is_drained()); }

Scheduler& Scheduler::current() {
    UMS_ASSERT(current_scheduler != nullptr);
    return *current_scheduler;
}

Scheduler* Scheduler::current_or_null() { return current_scheduler; }

void Scheduler::start(TaskGroup& group, Task<void> task, std::string name, Worker* parent) {
    const Root root = run_root(std::move(task), group, *this);
    group.add();
    task_count_.fetch_add(1, std::memory_order_relaxed);
    auto& promise = root.handle.promise();
    promise.own_worker.name = std::move(name);
    promise.start.handle = root.handle;
    promise.start.scheduler = this;
    promise.start.worker = parent != nullptr ? parent : &promise.own_worker;
    promise.start.wait_type = WaitType::sos_scheduler_yield;
    promise.start.wait_start_ns = now_ns();
    make_runnable(promise.start, promise.start.wait_start_ns);
}

void Scheduler::spawn(TaskGroup& group, std::string name, Task<void> task) { start(group, std::move(task), std::move(name), nullptr); }

void Scheduler::fork(TaskGroup& group, Task<void> task) {
    UMS_ASSERT(current_scheduler == this);
    start(group, std::move(task), {}, &worker());
}

void Scheduler::make_runnable(Waiter& waiter) { make_runnable(waiter, now_ns()); }

void Scheduler::make_runnable(Waiter& waiter, std::uint64_t now) {
    waiter.runnable_ns = now;
    if (current_scheduler == this) {
        make_runnable_here(waiter);
        return;
    }
    Waiter* head = inbox_.load(std::memory_order_relaxed);
    do {
        waiter.inbox_next = head;
    } while (!inbox_.compare_exchange_weak(head, &waiter, std::memory_order_seq_cst, std::memory_order_relaxed));
    wake();
}

void Scheduler::make_runnable_here(Waiter& waiter) {
    runnable_.push_back(waiter);
    ++runnable_count_;
}

// Of several simultaneous wakers only the first needs to call the kernel. The sleeper checks its inbox before it sleeps again, and in the
// single total order of these operations its `asleep_ = true` follows every push whose waker saw `false` here.
void Scheduler::wake() {
    if (asleep_.load(std::memory_order_seq_cst) && asleep_.exchange(false, std::memory_order_seq_cst)) engine_->wake();
}

void Scheduler::take_inbox() {
    if (inbox_.load(std::memory_order_relaxed) == nullptr) return;
    Waiter* newest = inbox_.exchange(nullptr, std::memory_order_acquire);
    Waiter* oldest = nullptr;  // the inbox is a stack; tasks run in the order they were woken
    while (newest != nullptr) {
        Waiter* next = newest->inbox_next;
        newest->inbox_next = oldest;
        oldest = newest;
        newest = next;
    }
    while (oldest != nullptr) {
        Waiter* next = std::exchange(oldest->inbox_next, nullptr);
        make_runnable_here(*oldest);
        ++statistics_.wakeups_from_others;
        oldest = next;
    }
}

// If there is nothing else to do, the sleep that follows submits the queue and waits for it in one system call instead of two.
bool Scheduler::should_submit_when_sleeping() {
    if (queued_io_ == 0 || !has_nothing_to_run() || !clock_.is_real() || completes_immediately_) return false;
    return ++sleeps_since_poll_ % kSleepsPerPoll != 0;
}

bool Scheduler::has_many_started() const {
    const std::uint32_t started = engine_->in_flight() - queued_io_;
    return started > started_for_one_queued_ * (queued_io_ + 1);
}

// The busier the device, the more requests may be collected for one call. After many completions at once it has nothing to do: the first
// request is then submitted alone, and the device works on it while the other tasks make theirs.
bool Scheduler::should_start_queued() const { return queued_io_ > 0 && !completes_immediately_ && clock_.is_real() && !has_many_started(); }

// One system call, which in a virtual machine also means one exit to the host, serves many requests as long as the device does not idle
// meanwhile. A device that completes immediately works only during the call anyway.
bool Scheduler::is_device_saturated(std::uint64_t now) const {
    if (shuffle_) return false;
    if (completes_immediately_) return now - collected_ns_ < std::clamp(call_ns_, kCollectIntervalNs, kCollectIntervalMaxNs);
    return has_many_started() && now - collected_ns_ < kCollectIntervalNs;
}

void Scheduler::collect_io(std::uint64_t& now) {
    if (engine_->in_flight() == 0) return;
    const bool is_left_to_sleep = should_submit_when_sleeping();
    const std::uint32_t started = std::exchange(queued_io_, 0);
    const std::uint64_t collected_before_ns = std::exchange(collected_ns_, now);
    if (is_left_to_sleep) return;
    IoRequestList finished;
    engine_->poll(finished);
    std::uint32_t answered = 0;  // of the requests that this call submitted
    if (!finished.empty()) now = now_ns();
    while (IoRequest* request = finished.pop_front()) {
        if (request->submitted_ns > collected_before_ns) ++answered;
        pending_.remove(*request);
        pending_count_.store(pending_count_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
        // A simulated engine knows the exact time.
        if (request->completed_ns == 0) request->completed_ns = now;
        request->waiter->runnable_ns = now;
        make_runnable_here(*request->waiter);
    }
    if (started > 0) completes_immediately_ = 2 * answered > started;
    // The call's time was the requests' own.
    if (completes_immediately_) {
        call_ns_ = now - collected_ns_;
        collected_ns_ = now;
    }
    note_oldest_io();
}

void Scheduler::note_oldest_io() { oldest_io_ns_.store(pending_.empty() ? 0 : pending_.front()->submitted_ns, std::memory_order_relaxed); }

void Scheduler::count_wait(const Waiter& waiter, std::uint64_t now) {
    WaitStatistics& wait = statistics_.waits[static_cast<std::size_t>(waiter.wait_type)];
    const std::uint64_t wait_ns = now - std::min(now, waiter.wait_start_ns);
    ++wait.count;
    wait.wait_ns += wait_ns;
    wait.wait_max_ns = std::max(wait.wait_max_ns, wait_ns);
    wait.signal_wait_ns += now - std::min(now, waiter.runnable_ns);
}

// Keeps `now` up to date: the end of one task's run is the start of the next one's.
void Scheduler::run(Waiter& waiter, std::uint64_t& now) {
    count_wait(waiter, now);
    ++statistics_.switches;
    worker_ = waiter.worker;
    worker_->quantum_start_ns = now;
    waiter.handle.resume();
    worker_ = nullptr;
    const std::uint64_t suspended = std::exchange(suspended_ns_, 0);
    const std::uint64_t started = std::exchange(now, suspended != 0 ? suspended : now_ns());
    if (now - started > 2 * kQuantumNs) ++statistics_.quantum_overruns;
}

// The tasks of one turn: everything that is runnable now or, when shuffling, one of them.
WaitQueue Scheduler::take_batch() {
    WaitQueue batch;
    if (!shuffle_) {
        std::swap(batch, runnable_);
        return batch;
    }
    std::uint64_t count = 0;
    for (Waiter* waiter = runnable_.front(); waiter != nullptr; waiter = WaitQueue::next(*waiter)) ++count;
    if (count == 0) return batch;
    Waiter* chosen = runnable_.front();
    for (std::uint64_t steps = shuffle_->below(count); steps > 0; --steps) chosen = WaitQueue::next(*chosen);
    runnable_.remove(*chosen);
    batch.push_back(*chosen);
    return batch;
}

bool Scheduler::run_batch(std::uint64_t& now) {
    WaitQueue batch = take_batch();
    const bool ran = !batch.empty();
    const std::uint64_t started = now;
    while (Waiter* waiter = batch.pop_front()) {
        --runnable_count_;
        run(*waiter, now);
        if (now - started > kTurnNs || should_start_queued()) break;
    }
    // Tasks that had no turn stay ahead of those that became runnable meanwhile.
    batch.append(runnable_);
    std::swap(batch, runnable_);
    return ran;
}

// One task at a time; it yields before long.
bool Scheduler::run_computing(std::uint64_t& now) {
    if (computing_.empty()) return false;
    if (!runnable_.empty() && now - computing_.front()->runnable_ns < kTurnNs) return false;
    if (queued_io_ > 0 && !is_device_saturated(now)) collect_io(now);
    is_computing_ = true;
    run(*computing_.pop_front(), now);
    is_computing_ = false;
    return true;
}

bool Scheduler::turn() {
    Scheduler* const outer = std::exchange(current_scheduler, this);
    ++statistics_.turns;
    take_inbox();
    std::uint64_t now = now_ns();
    if (has_nothing_to_run() || !is_device_saturated(now)) collect_io(now);
    timers_.fire_due(now);
    const bool ran = run_batch(now);
    const bool computed = run_computing(now);
    current_scheduler = outer;
    return ran || computed;
}

void Scheduler::sleep(std::uint64_t timeout_ns, const std::atomic<bool>& stopping) {
    asleep_.store(true, std::memory_order_seq_cst);
    if (!stopping.load(std::memory_order_seq_cst) && inbox_.load(std::memory_order_seq_cst) == nullptr && has_nothing_to_run()) {
        const std::uint64_t started = now_ns();
        engine_->wait(timeout_ns);
        statistics_.idle_ns += now_ns() - started;
    }
    asleep_.store(false, std::memory_order_relaxed);
}

std::uint64_t Scheduler::next_event_ns() const { return std::min(timers_.next_deadline_ns(), engine_->next_completion_ns()); }

bool Scheduler::is_drained() const {
    return task_count_.load(std::memory_order_relaxed) == 0 && inbox_.load(std::memory_order_relaxed) == nullptr && has_nothing_to_run() &&
           engine_->in_flight() == 0;
}

// A file in memory, or a view of one, needs only a copy.
bool Scheduler::perform_immediately(IoRequest& request) {
    request.submitted_ns = now_ns();
    if (!engine_->perform_immediately(request)) return false;
    request.completed_ns = now_ns();
    return true;
}

bool Scheduler::IoAwaiter::await_suspend(std::coroutine_handle<> suspended) {
    UMS_ASSERT(current_scheduler == &scheduler);
    request.reset();
    ++scheduler.statistics_.io_requests;
    if (request.file.is_copied() && scheduler.perform_immediately(request)) {
        // The task continues immediately, with its page still in the first-level cache, unless others have waited too long for the CPU.
        if (request.completed_ns - scheduler.worker().quantum_start_ns < kImmediateNs) return false;
        waiter.suspend(suspended, wait_type);
        scheduler.make_runnable(waiter, waiter.wait_start_ns);
        return true;
    }
    waiter.suspend(suspended, wait_type);
    request.waiter = &waiter;
    request.submitted_ns = waiter.wait_start_ns;
    scheduler.pending_.push_back(request);
    scheduler.note_oldest_io();
    scheduler.pending_count_.store(scheduler.pending_count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    scheduler.engine_->submit(request);
    ++scheduler.queued_io_;
    return true;
}

void Scheduler::YieldAwaiter::await_suspend(std::coroutine_handle<> suspended) {
    waiter.suspend(suspended, WaitType::sos_scheduler_yield);
    waiter.runnable_ns = waiter.wait_start_ns;
    (scheduler.*queue)(waiter);
}

void Scheduler::queue_yielding(Waiter& waiter) {
    ++statistics_.yields;
    make_runnable_here(waiter);
}

bool Scheduler::should_yield_before_computing() {
    if (shuffle_) return true;
    if (completes_immediately_) {
        if (queued_io_ == 0) return false;
    } else {
        if (runnable_count_ > 0) return true;
        if (engine_->in_flight() == 0) return false;
        if (!has_many_started()) return true;
    }
    if (++pages_since_clock_ < kPagesForClock) return false;
    pages_since_clock_ = 0;
    return !is_device_saturated(now_ns());
}

// A task that has started to compute continues first: if all took turns, all would finish late. When shuffling there is no order to keep.
void Scheduler::queue_computing(Waiter& waiter) {
    if (shuffle_) {
        make_runnable_here(waiter);
    } else if (is_computing_) {
        computing_.push_front(waiter);
    } else {
        computing_.push_back(waiter);
    }
}

}  // namespace ums
