#include "ums/sched/scheduler_group.hpp"

#include <algorithm>
#include <bit>
#include <thread>
#include <utility>

#include "ums/base/assert.hpp"
#include "ums/base/os_thread.hpp"

namespace ums {

namespace {

// The `index`-th of the CPUs in `mask`, counting round.
std::uint32_t cpu_of(std::uint64_t mask, std::uint32_t index) {
    std::uint32_t remaining = index % static_cast<std::uint32_t>(std::popcount(mask));
    for (std::uint32_t cpu = 0;; ++cpu) {
        if ((mask >> cpu & 1) == 0) continue;
        if (remaining-- == 0) return cpu;
    }
}

}  // namespace

SchedulerGroup::SchedulerGroup(const SchedulerGroupOptions& options, Storage& storage, const Clock& clock)
    : options_(options), clock_(clock) {
    UMS_ASSERT(options.cpu_count > 0);
    EngineOptions engine_options = options.engine;
    for (std::uint32_t id = 0; id < options.cpu_count; ++id) {
        std::string reason;
        schedulers_.push_back(std::make_unique<Scheduler>(id, clock, storage.make_engine(engine_options, reason)));
        if (engine_reason_.empty()) engine_reason_ = reason;
    }
}

void SchedulerGroup::run(Task<void> main) {
    UMS_ASSERT(!stopping_);
    TaskGroup group;
    schedulers_[0]->spawn(group, "Main", std::move(main));
    std::exception_ptr failure;
    auto watch = [](SchedulerGroup& self, TaskGroup& main_group, std::exception_ptr& result) -> Task<void> {
        try {
            co_await main_group.join();
        } catch (...) {
            result = std::current_exception();
        }
        self.stopping_.store(true, std::memory_order_seq_cst);
        for (const auto& scheduler : self.schedulers_) scheduler->wake();
    };
    TaskGroup watchers;
    schedulers_[0]->spawn(watchers, "Watch", watch(*this, group, failure));
    clock_.is_real() ? run_threads() : run_in_turns();
    for (const auto& scheduler : schedulers_) UMS_ASSERT(scheduler->is_drained());
    if (failure) std::rethrow_exception(failure);
}

void SchedulerGroup::thread_loop(Scheduler& scheduler) {
    if (options_.affinity != 0) bind_this_thread(std::uint64_t{1} << cpu_of(options_.affinity, scheduler.id()));
    for (;;) {
        if (scheduler.turn()) continue;
        if (stopping_.load(std::memory_order_seq_cst) && scheduler.is_drained()) return;
        const std::uint64_t next = scheduler.next_event_ns();
        const std::uint64_t now = clock_.now_ns();
        if (next > now) scheduler.sleep(next == kNever ? kNsPerSecond : std::min(next - now, kNsPerSecond), stopping_);
    }
}

void SchedulerGroup::run_threads() {
    std::vector<std::thread> threads;
    threads.reserve(schedulers_.size());
    for (const auto& scheduler : schedulers_) {
        threads.emplace_back([this, target = scheduler.get()] {
            name_this_thread("scheduler " + std::to_string(target->id()));
            thread_loop(*target);
        });
    }
    for (std::thread& thread : threads) thread.join();
}

void SchedulerGroup::run_in_turns() {
    auto& clock = const_cast<VirtualClock&>(dynamic_cast<const VirtualClock&>(clock_));
    for (;;) {
        bool ran = false;
        for (const auto& scheduler : schedulers_) ran |= scheduler->turn();
        if (ran) continue;
        if (stopping_.load(std::memory_order_relaxed)) return;
        std::uint64_t next = kNever;
        for (const auto& scheduler : schedulers_) next = std::min(next, scheduler->next_event_ns());
        UMS_ASSERT(next != kNever);  // everybody waits and nothing will ever happen: a deadlock of ours
        clock.advance_to(next);
    }
}

}  // namespace ums
