#include "sim/bench/timespan_run.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "sim/bench/measure_passes.hpp"
#include "sim/engine_kind.hpp"
#include "sim/files/overdue_request.hpp"
#include "sim/run/task_failure.hpp"
#include "sim/scheduler_start.hpp"
#include "ums/base/machine.hpp"
#include "ums/base/memory_reserve.hpp"
#include "ums/base/units.hpp"
#include "ums/io/threads_engine.hpp"

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

// Requests of a thread that the engine gets at a time. Copies to and from a mapping are none.
std::uint64_t engine_requests_of(const MeasureTimespan& spec, const MeasureThread& thread) {
    std::uint64_t requests = 0;
    for (const auto& lane : thread.lanes) {
        const MeasureTarget& target = lane->work.spec;
        if (target.view != MeasureView::none) continue;
        if (spec.requests_per_thread != 0) return spec.requests_per_thread;
        requests += target.outstanding;
    }
    return requests;
}

// MeasureTargetFacts::hole_percent, by places that are spread evenly: a file may be in very many pieces, and a network file system may take
// a while for each question.
double hole_percent_of(const MeasureTargetWork& work, ums::Storage& storage) {
    constexpr std::uint32_t kPlaces = 1000;
    const MeasureFile& file = *work.door.file;
    if (work.spec.write_percent == 100 || file.is_device || file.was_created) return 0;  // what was created is filled first
    const double step_bytes = static_cast<double>(work.range.length_bytes()) / kPlaces;
    std::uint32_t holes = 0;
    std::uint64_t data_begin_bytes = 0;
    std::uint64_t data_end_bytes = 0;
    for (std::uint32_t i = 0; i < kPlaces; ++i) {
        const std::uint64_t place = work.range.begin_bytes() + static_cast<std::uint64_t>((i + 0.5) * step_bytes);
        const bool is_known = place < data_end_bytes;  // one answer serves for all of a hole and the data behind it
        if (!is_known && storage.next_data(file.control, place, data_begin_bytes, data_end_bytes)) return 0;
        if (place < data_begin_bytes) ++holes;
    }
    return 100.0 * holes / kPlaces;
}

}  // namespace

MeasureTimespanRun::MeasureTimespanRun(Measurement& owner, const MeasureTimespan& spec, std::uint64_t run_id)
    : owner_(owner), spec_(spec), cpus_(distinct(spec.affinity)), run_(owner.run_), files_(owner.storage_, owner.kept_, run_id) {}

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
    schedulers_->on_memory_short([this] { run_.stop(Outcome::not_done, memory_refused_text(kMeasuringMemoryAdvice)); });
    schedulers_->on_task_failed([this](const std::exception_ptr& failure) { stop_on_failure(failure); });
    {
        const ums::MemoryReserve reserve;
        schedulers_->run(main());
    }
    schedulers_.reset();
    if (owner_.spec_.verify && !run_.is_stopping()) files_.keep_for_next();
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
        work.hole_percent = hole_percent_of(work, owner_.storage_);
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

// Until the end of the measured time: each lane counts by itself.
std::uint64_t MeasureTimespanRun::interval_bytes() const {
    constexpr std::uint64_t kFarTooMany = std::uint64_t{1} << 60;
    if (spec_.iops_interval_ms == 0) return 0;
    std::uint64_t lanes = 1;  // their sum
    for (const auto& thread : threads_) lanes += thread->lanes.size();
    const std::uint64_t intervals = std::uint64_t{spec_.duration_s} * 1000 / spec_.iops_interval_ms + 1;
    return std::min(intervals * sizeof(MeasureInterval), kFarTooMany / lanes) * lanes;
}

// If memory is short, the system takes it from other processes, or ends this one after hours.
void MeasureTimespanRun::check_memory() const {
    struct Need {
        const char* what;
        const char* advice;
        std::uint64_t bytes = 0;
    };
    std::array<Need, 3> needs{
        {{"All requests together need", "take smaller blocks or fewer requests", 0},
         {"Keeping track of all pages or sectors for their verification needs", "measure a part of the file, or other contents",
          files_.book_bytes(spec_.targets)},
         {"Counting the requests of each interval needs", "take longer intervals, or measure for a shorter time", interval_bytes()}}};
    for (const auto& thread : threads_) needs[0].bytes += memory_bytes_of(spec_, *thread);
    std::uint64_t needed_bytes = 0;
    for (const Need& need : needs) needed_bytes += need.bytes;
    const std::uint64_t available_bytes = ums::this_machine().available_bytes;
    if (available_bytes == 0 || needed_bytes < available_bytes) return;
    const Need& largest = *std::max_element(needs.begin(), needs.end(), [](const Need& a, const Need& b) { return a.bytes < b.bytes; });
    throw RefusedError(fmt::format("{} {} MB of memory, and {} MB are available: {}.", largest.what, largest.bytes / ums::kMb,
                                   available_bytes / ums::kMb, largest.advice));
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
    group.binds_engines = true;  // their work is that of a thread of DiskSpd or SQLIO
    group.engine.kind = engine_kind(owner_.spec_.engine);
    group.engine.has_views = std::any_of(spec_.targets.begin(), spec_.targets.end(),
                                         [](const MeasureTarget& target) { return target.view != MeasureView::none; });
    schedulers_ = sim::make_schedulers(group, owner_.storage_, owner_.clock_);
    for (std::size_t i = 0; i < threads_.size(); ++i) threads_[i]->scheduler = static_cast<std::uint32_t>(place_of(i) % group.cpu_count);
    results_.engine = schedulers_->engine_name();
    results_.engine_reason = schedulers_->engine_reason();
    results_.cpu_count = group.cpu_count;
    results_.thread_count = static_cast<std::uint32_t>(threads_.size());
    note_small_pool();
}

void MeasureTimespanRun::note_small_pool() {
    if (results_.engine != "threads") return;
    std::vector<std::uint64_t> requests(results_.cpu_count);
    for (const auto& thread : threads_) requests.at(thread->scheduler) += engine_requests_of(spec_, *thread);
    if (*std::max_element(requests.begin(), requests.end()) > ums::kEngineThreadsMax) results_.pool_threads = ums::kEngineThreadsMax;
}

void MeasureTimespanRun::enter(MeasurePhase phase) {
    owner_.live_.phase_start_ns.store(owner_.clock_.now_ns(), std::memory_order_relaxed);
    owner_.live_.phase.store(phase, std::memory_order_relaxed);
}

void MeasureTimespanRun::stop_on_failure(const std::exception_ptr& failure) {
    run_.stop(Outcome::not_done, classify_failure(failure, kMeasuringMemoryAdvice).reason);
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

}  // namespace sim
