#include "ums/sched/scheduler_group.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <thread>
#include <utility>

#include "ums/base/assert.hpp"
#include "ums/base/memory_reserve.hpp"
#include "ums/base/os_thread.hpp"

namespace ums {

SchedulerGroup::SchedulerGroup(const SchedulerGroupOptions& options, Storage& storage, const Clock& clock)
    : options_(options), clock_(clock) {
    UMS_ASSERT(options.cpu_count > 0);
    if (options.shuffle_seed != 0) shuffle_.emplace(options.shuffle_seed);
    EngineOptions engine_options = options.engine;
    std::uint32_t with_reason = 0;
    for (std::uint32_t id = 0; id < options.cpu_count; ++id) {
        std::string reason;
        if (options.binds_engines && !options.cpus.empty()) engine_options.thread_cpus = {options.cpus[id % options.cpus.size()]};
        schedulers_.push_back(std::make_unique<Scheduler>(id, clock, storage.make_engine(engine_options, reason),
                                                          options.started_for_one_queued, options.shuffle_seed));
        if (engine_reason_.empty()) engine_reason_ = reason;
        if (!reason.empty()) ++with_reason;
    }
    // Locked memory may suffice for the rings of some.
    if (with_reason > 0 && with_reason < options.cpu_count) {
        engine_reason_ = std::to_string(with_reason) + " of " + std::to_string(options.cpu_count) + " schedulers: " + engine_reason_;
    }
}

bool SchedulerGroup::is_short_of_threads() const {
    return std::any_of(schedulers_.begin(), schedulers_.end(),
                       [](const auto& scheduler) { return scheduler->engine().is_short_of_threads(); });
}

bool SchedulerGroup::is_drained() const {
    return std::all_of(schedulers_.begin(), schedulers_.end(), [](const auto& scheduler) { return scheduler->is_drained(); });
}

void SchedulerGroup::stop() {
    stopping_.store(true, std::memory_order_seq_cst);
    for (const auto& scheduler : schedulers_) scheduler->wake();
}

Task<void> SchedulerGroup::run_main(Task<void> main) {
    try {
        co_await main;
    } catch (...) {
        failure_ = std::current_exception();
    }
    // A task left behind might wait forever, and so would the run.
    std::uint32_t task_count = 0;
    for (const auto& scheduler : schedulers_) task_count += scheduler->task_count();
    UMS_ASSERT(task_count == 1);
    stop();
}

void SchedulerGroup::start(Task<void> main) {
    UMS_ASSERT(!stopping_);
    schedulers_[0]->spawn(main_task_, "Main", run_main(std::move(main)));
}

void SchedulerGroup::finish() {
    UMS_ASSERT(is_drained());
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void SchedulerGroup::run(Task<void> main) {
    if (clock_.is_real()) {
        run_threads([&] { start(std::move(main)); });
    } else {
        start(std::move(main));
        SchedulerGroup* const alone = this;
        run_together({&alone, 1}, const_cast<VirtualClock&>(dynamic_cast<const VirtualClock&>(clock_)), [](std::size_t) {});
    }
    finish();
}

void SchedulerGroup::thread_loop(Scheduler& scheduler) {
    if (!options_.cpus.empty()) bind_this_thread({&options_.cpus[scheduler.id() % options_.cpus.size()], 1});
    for (;;) {
        watch_memory();
        if (scheduler.turn()) continue;
        if (stopping_.load(std::memory_order_seq_cst) && scheduler.is_drained()) return;
        const std::uint64_t next = scheduler.next_event_ns();
        const std::uint64_t now = clock_.now_ns();
        if (next > now) scheduler.sleep(next == kNever ? kNsPerSecond : std::min(next - now, kNsPerSecond), stopping_);
    }
}

void SchedulerGroup::watch_memory() {
    if (!MemoryReserve::is_spent() || !on_memory_short_ || has_reported_memory_short_.exchange(true)) return;
    on_memory_short_();
}

void SchedulerGroup::run_threads(const std::function<void()>& start_main) {
    std::vector<std::thread> threads;
    threads.reserve(schedulers_.size());
    try {
        for (const auto& scheduler : schedulers_) {
            threads.push_back(start_thread([this, target = scheduler.get()] {
                name_this_thread("scheduler " + std::to_string(target->id()));
                thread_loop(*target);
            }));
        }
    } catch (...) {
        stop();
        for (std::thread& thread : threads) thread.join();
        throw;
    }
    start_main();
    for (std::thread& thread : threads) thread.join();
}

// --- virtual time ---

bool SchedulerGroup::turn() {
    constexpr std::uint32_t kMissOneTurnIn = 4;
    watch_memory();
    bool ran = false;
    for (const auto& scheduler : schedulers_) {
        const bool misses = shuffle_ && shuffle_->below(kMissOneTurnIn) == 0;
        if (misses || scheduler->turn()) ran = true;
    }
    return ran;
}

std::uint64_t SchedulerGroup::next_event_ns() const {
    std::uint64_t next = kNever;
    for (const auto& scheduler : schedulers_) next = std::min(next, scheduler->next_event_ns());
    return next;
}

void SchedulerGroup::count_idle(std::uint64_t idle_ns) {
    for (const auto& scheduler : schedulers_) scheduler->count_idle(idle_ns);
}

void run_together(std::span<SchedulerGroup* const> groups, VirtualClock& clock, const std::function<void(std::size_t index)>& on_over) {
    std::vector<std::size_t> left(groups.size());
    std::iota(left.begin(), left.end(), 0);
    while (!left.empty()) {
        bool ran = false;
        for (const std::size_t index : left) ran = groups[index]->turn() || ran;
        if (ran) continue;
        const auto over = std::find_if(left.begin(), left.end(), [&](std::size_t index) { return groups[index]->is_over(); });
        if (over != left.end()) {
            const std::size_t index = *over;
            left.erase(over);
            on_over(index);
            continue;
        }
        std::uint64_t next = kNever;
        for (const std::size_t index : left) next = std::min(next, groups[index]->next_event_ns());
        UMS_ASSERT(next != kNever);  // all tasks wait and no event is pending: a deadlock, which is our mistake
        const std::uint64_t now = clock.now_ns();
        clock.advance_to(next);
        for (const std::size_t index : left) groups[index]->count_idle(clock.now_ns() - now);
    }
}

}  // namespace ums
