#include "sim/bench/measurement.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "sim/bench/machine_watch.hpp"
#include "sim/bench/measure_files.hpp"
#include "sim/bench/measure_load.hpp"
#include "sim/bench/measure_passes.hpp"
#include "sim/engine_kind.hpp"
#include "sim/files/overdue_request.hpp"
#include "sim/run/task_failure.hpp"
#include "sim/scheduler_start.hpp"
#include "ums/base/machine.hpp"
#include "ums/base/memory_reserve.hpp"
#include "ums/base/units.hpp"
#include "ums/sched/blocking_call.hpp"
#include "ums/sched/scheduler_group.hpp"

namespace sim {

namespace {

// What counts here is what the storage can do: a request does not wait for others in order to save calls.
constexpr std::uint32_t kMeasuredForOneQueued = 16;

// Each CPU of a list once: one scheduler serves all threads that are bound to it.
std::vector<std::uint32_t> distinct(const std::vector<std::uint32_t>& cpus) {
    std::vector<std::uint32_t> once;
    for (const std::uint32_t cpu : cpus) {
        if (std::find(once.begin(), once.end(), cpu) == once.end()) once.push_back(cpu);
    }
    return once;
}

}  // namespace

// One timespan, from its files to its result.
class MeasureTimespanRun {
public:
    MeasureTimespanRun(Measurement& owner, const MeasureTimespan& spec, std::uint64_t run_id)
        : owner_(owner), spec_(spec), cpus_(distinct(spec.affinity)), run_(owner.run_), files_(owner.storage_, run_id) {}

    MeasureTimespanResults run();

private:
    void make_works();
    void make_threads();
    void add_thread(std::uint32_t first_target, std::uint32_t end_target, std::uint32_t thread_of_target);
    void check_memory() const;
    void make_schedulers();
    [[nodiscard]] std::uint32_t cpu_count() const;
    [[nodiscard]] std::size_t place_of(std::size_t thread) const;
    ums::Task<void> main();
    ums::Task<void> prepare();
    ums::Task<void> measure();
    ums::Task<void> watch_until(MachineWatch& watch, std::uint64_t end_ns);
    void spawn_load(MeasureShared& shared, ums::TaskGroup& tasks);
    void set_paces(std::uint64_t start_ns);
    void spawn_watchers(ums::TaskGroup& watchers, ums::Event& done);
    ums::Task<void> read_back();
    void collect(const MeasureShared& shared);
    void enter(MeasurePhase phase);
    void stop_on_failure(const std::exception_ptr& failure);

    Measurement& owner_;
    const MeasureTimespan& spec_;
    const std::vector<std::uint32_t> cpus_;  // to which schedulers are bound
    RunState& run_;
    MeasureFiles files_;
    std::vector<std::unique_ptr<MeasureTargetWork>> works_;
    std::vector<std::unique_ptr<MeasureThread>> threads_;
    std::unique_ptr<ums::SchedulerGroup> schedulers_;
    MeasureTimespanResults results_;
};

MeasureTimespanResults MeasureTimespanRun::run() {
    results_.spec = spec_;
    enter(MeasurePhase::preparing);
    files_.open(spec_.targets, owner_.spec_.verify);
    try {
        make_works();
        make_threads();
        check_memory();
        make_schedulers();
    } catch (...) {
        files_.remove_created();
        throw;
    }
    schedulers_->on_memory_short([this] { run_.stop(Outcome::not_done, memory_refused_text()); });
    schedulers_->on_task_failed([this](const std::exception_ptr& failure) { stop_on_failure(failure); });
    {
        const ums::MemoryReserve reserve;
        schedulers_->run(main());
    }
    schedulers_.reset();
    enter(MeasurePhase::done);
    return std::move(results_);
}

void MeasureTimespanRun::make_works() {
    for (std::size_t i = 0; i < spec_.targets.size(); ++i) {
        const MeasureTarget& target = spec_.targets[i];
        works_.push_back(std::make_unique<MeasureTargetWork>(target, files_.doors()[i]));
        MeasureTargetWork& work = *works_.back();
        const PageBook* const book = work.door.file->pages.get();
        work.is_verified = owner_.spec_.verify && book != nullptr && is_in_units(target, book->unit_bytes()) &&
                           target.piece_bytes % book->unit_bytes() == 0;
    }
}

void MeasureTimespanRun::make_threads() {
    const auto targets = static_cast<std::uint32_t>(works_.size());
    if (spec_.threads_total != 0) {
        for (std::uint32_t i = 0; i < spec_.threads_total; ++i) add_thread(0, targets, i);
        return;
    }
    for (std::uint32_t target = 0; target < targets; ++target) {
        for (std::uint32_t i = 0; i < spec_.targets[target].threads; ++i) add_thread(target, target + 1, i);
    }
}

void MeasureTimespanRun::add_thread(std::uint32_t first_target, std::uint32_t end_target, std::uint32_t thread_of_target) {
    auto thread = std::make_unique<MeasureThread>();
    for (std::uint32_t target = first_target; target < end_target; ++target) {
        const std::uint32_t weight = weight_of(spec_.targets[target], thread_of_target);
        if (weight == 0) continue;
        thread->lanes.push_back(std::make_unique<MeasureLane>(*works_[target], thread_of_target, weight));
        thread->lanes.back()->row.thread = static_cast<std::uint32_t>(threads_.size());
        thread->lanes.back()->row.target = target;
        thread->weights += weight;
    }
    threads_.push_back(std::move(thread));
}

// If memory is short, the system takes it from other processes.
void MeasureTimespanRun::check_memory() const {
    std::uint64_t needed_bytes = 0;
    for (const auto& thread : threads_) needed_bytes += memory_bytes_of(spec_, *thread);
    const std::uint64_t book_bytes = files_.book_bytes(spec_.targets);
    const std::uint64_t available_bytes = ums::this_machine().available_bytes;
    if (available_bytes == 0 || needed_bytes + book_bytes < available_bytes) return;
    const bool is_book_larger = book_bytes > needed_bytes;
    throw RefusedError(
        fmt::format("{} {} MB of memory, and {} MB are available: {}.",
                    is_book_larger ? "Keeping track of all pages or sectors for their verification needs" : "All requests together need",
                    std::max(book_bytes, needed_bytes) / ums::kMb, available_bytes / ums::kMb,
                    is_book_larger ? "measure a part of the file, or other contents" : "take smaller blocks or fewer requests"));
}

std::uint32_t MeasureTimespanRun::cpu_count() const {
    if (spec_.cpu_count != 0) return spec_.cpu_count;
    const std::uint32_t machine = std::clamp(ums::this_machine().cpu_count, 1U, kCpusMax);
    const std::uint32_t wanted = cpus_.empty() ? machine : std::min<std::uint32_t>(machine, static_cast<std::uint32_t>(cpus_.size()));
    return std::min(wanted, static_cast<std::uint32_t>(threads_.size()));
}

// Threads take the CPUs of the list in turn.
std::size_t MeasureTimespanRun::place_of(std::size_t thread) const {
    if (spec_.affinity.empty()) return thread;
    const std::uint32_t cpu = spec_.affinity[thread % spec_.affinity.size()];
    return static_cast<std::size_t>(std::find(cpus_.begin(), cpus_.end(), cpu) - cpus_.begin());
}

void MeasureTimespanRun::make_schedulers() {
    ums::SchedulerGroupOptions group;
    group.cpu_count = cpu_count();
    group.started_for_one_queued = kMeasuredForOneQueued;
    group.cpus = cpus_;
    group.engine.kind = engine_kind(owner_.spec_.engine);
    group.engine.has_views = std::any_of(spec_.targets.begin(), spec_.targets.end(),
                                         [](const MeasureTarget& target) { return target.view != MeasureView::none; });
    schedulers_ = sim::make_schedulers(group, owner_.storage_, owner_.clock_);
    for (std::size_t i = 0; i < threads_.size(); ++i) threads_[i]->scheduler = static_cast<std::uint32_t>(place_of(i) % group.cpu_count);
    results_.engine = schedulers_->engine_name();
    results_.engine_reason = schedulers_->engine_reason();
    results_.cpu_count = group.cpu_count;
    results_.thread_count = static_cast<std::uint32_t>(threads_.size());
}

void MeasureTimespanRun::enter(MeasurePhase phase) {
    owner_.live_.phase_start_ns.store(owner_.clock_.now_ns(), std::memory_order_relaxed);
    owner_.live_.phase.store(phase, std::memory_order_relaxed);
}

void MeasureTimespanRun::stop_on_failure(const std::exception_ptr& failure) {
    run_.stop(Outcome::not_done, classify_failure(failure).reason);
}

ums::Task<void> MeasureTimespanRun::main() {
    run_.release_users();
    ums::Event done;
    ums::TaskGroup watchers;
    spawn_watchers(watchers, done);
    try {
        co_await prepare();
        if (!run_.is_stopping()) co_await measure();
        if (!run_.is_stopping()) co_await read_back();
    } catch (...) {
        stop_on_failure(std::current_exception());  // the watchers must be joined all the same
    }
    done.set();
    try {
        co_await watchers.join();
    } catch (...) {
        stop_on_failure(std::current_exception());  // what was found must not be lost with it
    }
}

// Reports overdue requests, and ends the measurement when they can no longer be expected to complete.
void MeasureTimespanRun::spawn_watchers(ums::TaskGroup& watchers, ums::Event& done) {
    const auto visit = [this](ums::IoRequest& request) {
        const auto* const file = static_cast<const MeasureFile*>(request.owner);
        if (file == nullptr) return;
        FileOptions named;
        named.path = file->path;
        check_overdue(request, file->id, named, run_, owner_.journal_,
                      [this](Finding finding) { owner_.journal_.report(std::move(finding)); });
    };
    for (std::uint32_t i = 0; i < schedulers_->size(); ++i) (*schedulers_)[i].spawn(watchers, "Monitor", visit_overdue(done, visit));
}

ums::Task<void> MeasureTimespanRun::prepare() {
    MeasurePasses passes(*schedulers_, run_, owner_.journal_);
    for (const auto& file : files_.files()) {
        if (run_.is_stopping()) co_return;
        if (!file->was_created && file->has_raw_writes) co_await passes.mark(*file);
        if (!file->was_created) continue;
        const auto maker = std::find_if(works_.begin(), works_.end(),
                                        [&](const auto& work) { return work->door.file == file.get() && work->spec.create_bytes != 0; });
        co_await passes.fill(*file, (*maker)->spec.source, spec_.seed);
    }
}

void MeasureTimespanRun::spawn_load(MeasureShared& shared, ums::TaskGroup& tasks) {
    std::uint64_t seed = ums::mix64(spec_.seed);
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
        results_.targets.push_back(std::move(facts));
    }
}

// What the storage has acknowledged must be there. Each file once, for the first target that writes to it.
ums::Task<void> MeasureTimespanRun::read_back() {
    if (!owner_.spec_.verify) co_return;
    enter(MeasurePhase::reading_back);
    MeasurePasses passes(*schedulers_, run_, owner_.journal_);
    for (const auto& file : files_.files()) {
        const auto writer = std::find_if(works_.begin(), works_.end(),
                                         [&](const auto& work) { return work->door.file == file.get() && work->spec.write_percent > 0; });
        if (file->pages == nullptr || writer == works_.end() || run_.is_stopping()) continue;
        const std::uint64_t units = co_await passes.read_back(*file, file->control);
        results_.targets[static_cast<std::size_t>(writer - works_.begin())].pages_read_back = in_pages(*file, units);
    }
}

Measurement::Measurement(MeasureSpec spec, ums::Storage& storage, const ums::Clock& clock, EventSink& sink)
    : spec_(std::move(spec)), storage_(storage), clock_(clock), journal_(clock, sink), run_id_(ums::mix64(clock.utc_us())) {
    UMS_ASSERT(check_measure_spec(spec_).empty());
}

Measurement::~Measurement() = default;

void Measurement::request_stop() { run_.stop(Outcome::stopped, "The measurement was stopped before its end."); }

MeasureResults Measurement::run() {
    MeasureResults results;
    for (std::size_t i = 0; i < spec_.timespans.size() && !run_.is_stopping(); ++i) {
        live_.timespan.store(static_cast<std::uint32_t>(i + 1), std::memory_order_relaxed);
        try {
            results.timespans.push_back(MeasureTimespanRun(*this, spec_.timespans[i], ums::mix64(run_id_ + i)).run());
        } catch (...) {
            // What the timespans before it have measured and found is not lost with it.
            if (results.timespans.empty()) throw;
            run_.stop(Outcome::not_done, message_of(std::current_exception()));
        }
    }
    results.finding_count = journal_.finding_count();
    results.stopped = run_.outcome() == Outcome::stopped;
    if (run_.outcome() == Outcome::not_done || run_.outcome() == Outcome::failed) results.failure_reason = run_.reason();
    return results;
}

MeasureProgress Measurement::progress() const {
    MeasureProgress progress;
    progress.timespan = live_.timespan.load(std::memory_order_relaxed);
    progress.phase = live_.phase.load(std::memory_order_relaxed);
    progress.phase_ns = clock_.now_ns() - std::min(clock_.now_ns(), live_.phase_start_ns.load(std::memory_order_relaxed));
    for (const ums::LocalCounter& requests : live_.requests) progress.requests += requests.value();
    return progress;
}

}  // namespace sim
