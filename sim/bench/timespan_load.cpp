// The load of a timespan: its tasks, when they start, and which of their requests count.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/bench/timespan_run.hpp"
#include "ums/base/prng.hpp"
#include "ums/base/units.hpp"
#include "ums/sched/blocking_call.hpp"

namespace sim {

void MeasureTimespanRun::spawn_load(MeasureShared& shared, ums::TaskGroup& tasks) {
    std::uint64_t seed = ums::mix64(spec_.seed) + spec_.round;
    for (std::size_t i = 0; i < threads_.size(); ++i) {
        MeasureThread& thread = *threads_[i];
        ums::Scheduler& scheduler = (*schedulers_)[thread.scheduler];
        const std::string name = fmt::format("Thread {}", i);
        const auto spawn = [&](MeasureLane* lane) {
            seed = ums::mix64(seed + 1);
            shared.unready.fetch_add(1, std::memory_order_relaxed);
            scheduler.spawn(tasks, name, run_measure_task(shared, thread, lane, seed));
        };
        if (spec_.requests_per_thread != 0) {
            for (std::uint32_t task = 0; task < spec_.requests_per_thread; ++task) spawn(nullptr);
            continue;
        }
        for (const auto& lane : thread.lanes) {
            for (std::uint32_t task = 0; task < lane->work.spec.outstanding; ++task) spawn(lane.get());
        }
    }
}

// Returns at `end_ns`, or when the users stop. The counters are read by another thread: requests must not wait for /proc.
ums::Task<void> MeasureTimespanRun::watch_until(MachineWatch& watch, std::uint64_t end_ns) {
    const ums::Clock& clock = owner_.clock_;
    while (clock.is_real()) {
        const std::uint64_t next_ns = clock.now_ns() + watch.period_ns();
        // A piece that is much shorter than the others would say little: ticks of the system are long.
        if (next_ns + watch.period_ns() / 2 >= end_ns) break;
        if (co_await run_.users_stop().wait(ums::WaitType::task_join, next_ns)) co_return;
        co_await ums::run_blocking([&watch, &clock] { watch.look(clock.now_ns()); });
    }
    co_await run_.users_stop().wait(ums::WaitType::task_join, end_ns);
}

// Threads of the same rate do not all start at the same moment.
void MeasureTimespanRun::set_paces(std::uint64_t start_ns) {
    for (std::size_t i = 0; i < threads_.size(); ++i) {
        for (const auto& lane : threads_[i]->lanes) {
            const MeasureRate& rate = lane->work.spec.rate;
            const double per_second = rate.unit == MeasureRateUnit::bytes_per_s ? rate.amount / lane->work.spec.block_bytes : rate.amount;
            const double phase_ns =
                rate.unit == MeasureRateUnit::none ? 0 : 1e9 / per_second * static_cast<double>(i) / static_cast<double>(threads_.size());
            lane->next_start_ns = static_cast<double>(start_ns) + phase_ns;
        }
    }
}

ums::Task<void> MeasureTimespanRun::measure() {
    MeasureShared shared{spec_, run_.users_stop(), run_, owner_.journal_, owner_.live_.requests};
    std::vector<std::string> paths;
    for (const auto& file : files_.files()) paths.push_back(file->path);
    MachineWatch watch(std::move(paths));
    ums::TaskGroup tasks;
    spawn_load(shared, tasks);
    shared.one_is_ready();
    // A task that gets no memory stops the run, and is never ready.
    while (!run_.users_stop().is_set()) {
        if (co_await shared.ready.wait(ums::WaitType::task_join, owner_.clock_.now_ns() + 100 * ums::kNsPerMs)) break;
    }
    const std::uint64_t start_ns = owner_.clock_.now_ns();
    const std::uint64_t begin_ns = start_ns + spec_.warm_up_s * ums::kNsPerSecond;
    const std::uint64_t end_ns = begin_ns + spec_.duration_s * ums::kNsPerSecond;
    shared.window.begin_ns = begin_ns;
    shared.window.end_ns.store(end_ns, std::memory_order_relaxed);
    set_paces(start_ns);
    enter(MeasurePhase::warm_up);
    shared.start.set();
    co_await run_.users_stop().wait(ums::WaitType::task_join, begin_ns);
    watch.look(owner_.clock_.now_ns());
    enter(MeasurePhase::measuring);
    results_.start_utc_us = owner_.clock_.utc_us();
    co_await watch_until(watch, end_ns);
    // Stopping early keeps what was measured up to now.
    const std::uint64_t now_ns = std::min(owner_.clock_.now_ns(), end_ns);
    shared.window.end_ns.store(now_ns, std::memory_order_relaxed);
    results_.duration_ns = now_ns - std::min(now_ns, begin_ns);
    watch.look(std::max(owner_.clock_.now_ns(), begin_ns));
    enter(MeasurePhase::cool_down);
    co_await run_.users_stop().wait(ums::WaitType::task_join, end_ns + spec_.cool_down_s * ums::kNsPerSecond);
    run_.users_stop().set();
    try {
        co_await tasks.join();
    } catch (...) {
        stop_on_failure(std::current_exception());
    }
    if (owner_.clock_.is_real()) watch.tell(results_);
    collect(shared);
}

void MeasureTimespanRun::collect(const MeasureShared& /*shared*/) {
    for (const auto& thread : threads_) {
        for (const auto& lane : thread->lanes) {
            lane->row.add_idle_intervals(spec_.iops_interval_ms, results_.duration_ns);
            results_.rows.push_back(std::move(lane->row));
        }
    }
    for (const auto& work : works_) {
        const MeasureFile& file = *work->door.file;
        MeasureTargetFacts facts;
        facts.path = file.path;
        facts.size_bytes = file.size_bytes;
        facts.was_created = file.was_created;
        facts.is_device = file.is_device;
        facts.is_verified = work->is_verified;
        facts.pages_verified = in_pages(file, work->pages_verified.load(std::memory_order_relaxed));
        facts.pages_not_judged = in_pages(file, work->pages_not_judged.load(std::memory_order_relaxed));
        facts.hole_percent = work->hole_percent;
        results_.targets.push_back(std::move(facts));
    }
}

}  // namespace sim
