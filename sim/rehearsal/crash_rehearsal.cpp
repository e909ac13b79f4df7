#include "sim/rehearsal/crash_rehearsal.hpp"

#include <map>
#include <new>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/limits.hpp"
#include "sim/rehearsal/fault_injector.hpp"
#include "sim/rehearsal/fault_matching.hpp"
#include "sim/rehearsal/left_log.hpp"
#include "sim/rehearsal/left_page.hpp"
#include "sim/rehearsal/promise_memory.hpp"
#include "sim/rehearsal/rehearsal_options.hpp"
#include "sim/rehearsal/stale_log.hpp"
#include "sim/run/simulation.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/memory_reserve.hpp"
#include "ums/base/prng.hpp"
#include "ums/io/simulated_storage.hpp"

namespace sim {
namespace {

class CrashSink final : public EventSink {
public:
    CrashSink(CrashReport& report, FaultInjector& injector) : report_(report), injector_(injector) {}

    void on_event(const Event& event) override {
        report_.log.push_back(fmt::format("{} ms {}: {}", event.tick_ms, event.user, event.description));
    }
    void on_finding(const Finding& finding) override {
        injector_.on_finding(finding);
        report_.findings.push_back(finding);
    }

private:
    CrashReport& report_;
    FaultInjector& injector_;
};

// With the files that an earlier cut left, if there was one.
ums::SimulatedStorage& filled(ums::SimulatedStorage& disk, const CrashPlan& plan) {
    if (!plan.start) return disk;
    for (const auto& [path, file] : plan.start->files) disk.put(path, file->copy());
    return disk;
}

// Pages about which the last checkpoint promised nothing are what the cut left of them.
void forget_failed(CrashStart& start, const LeftLog& log, const Options& options) {
    const auto is_failed = [&log](const WriteBook::PagePlace& place) { return log.is_unknown(place); };
    const auto left_version = [&](const WriteBook::PagePlace& place) {
        const auto file = start.files.find(options.files.at(place.file_id - 1).path);
        const bool is_there = file != start.files.end() && (std::uint64_t{place.page_id} + 1) * kPageBytes <= file->second->size_bytes();
        const LeftPage left = is_there ? read_left_page(*file->second, place.page_id) : LeftPage{};
        return left.is_whole ? left.newest : 0;
    };
    start.book.forget_failed(log.begin_lsn(), is_failed, left_version);
}

// One run of the plan, on its own disk.
struct CrashRun {
    explicit CrashRun(const CrashPlan& plan)
        : disk(clock, ums::simulated_disk(plan.seed)),
          storage(filled(disk, plan), clock, plan.device),
          injector(storage, clock, FaultInjector::setup_for(plan.options, plan.faults, ums::mix64(plan.seed ^ 0x6661756c74))),
          sink(report, injector),
          ledger(plan.start && plan.start->promises ? PromiseMemory(*plan.start->promises) : PromiseMemory()),
          lag(ums::mix64(plan.seed ^ 0x6c61677321)),
          simulation(plan.options, plan.faults.empty() ? static_cast<ums::Storage&>(storage) : injector, clock, sink,
                     plan.has_ledger ? &ledger : nullptr) {
        ledger.reach_if([this, loss = plan.ledger_loss.after(clock.now_ns())] { return !loss.is_now(clock.now_ns()); });
    }

    // A ledger lags behind the run, by up to a few dozen requests.
    void promise_at_times() {
        if (lag.below(8) == 0) ledger.take();
    }

    void run(std::function<void(const ums::PowerMoment&)> observer) {
        storage.set_observer(std::move(observer));
        const Results results = simulation.run();
        report.outcome = results.outcome;
        report.outcome_reason = results.outcome_reason;
        storage.set_observer({});
        report.moment_count = storage.moment();
        judge();
    }

    void judge() {
        report.problems = match_faults(injector.faults(), report.findings).problems;
        if (report.outcome != (has_failure(report.findings) ? Outcome::failed : Outcome::passed)) {
            report.problems.push_back(fmt::format("the run did not end as its findings say: {}",
                                                  report.outcome == Outcome::passed ? "it passed" : report.outcome_reason));
        }
    }

    CrashReport report;
    ums::VirtualClock clock;
    ums::SimulatedStorage disk;
    ums::VolatileStorage storage;
    FaultInjector injector;  // around the storage, if faults are planned
    CrashSink sink;
    PromiseMemory ledger;
    ums::Prng lag;
    Simulation simulation;
};

struct PlannedCut {
    CutReason reason;
    std::uint64_t seed;
};

// A log file in half of all cases.
const FileOptions& draw_lying_file(const Options& options, ums::Prng& prng) {
    const bool is_log = prng.below(2) == 0;
    std::vector<const FileOptions*> files;
    for (const FileOptions& file : options.files) {
        if (file.is_log == is_log) files.push_back(&file);
    }
    return *files.at(prng.below(files.size()));
}

// Whoever continues a run may have changed its configuration meanwhile, in all that does not concern what is on the disk.
void change_settings(CrashPlan& plan) {
    ums::Prng prng(ums::mix64(plan.seed ^ 0x6368616e6765));
    if (prng.below(2) == 0) return;
    Options& options = plan.options;
    options.checkpoint_pages = prng.below(2) == 0 ? 128 : 32;
    options.checkpoint_interval_ms = static_cast<std::uint32_t>(prng.between(100, 400));
    options.log_flushes_outstanding = static_cast<std::uint32_t>(prng.between(1, 8));
    options.use_scatter_gather = prng.below(4) != 0;
    options.stamp_files = prng.below(4) == 0;
    options.cache_hit_ratio = prng.below(2) == 0 ? 1000 : 5000;
    options.recent.target_recovery_time_s = prng.below(4) == 0 ? 1 : 0;
    options.recent.log_kb_outstanding = prng.below(4) == 0 ? 60 : 0;
    options.merge_buffers = prng.below(4) == 0;
    options.max_outstanding_io = prng.below(8) == 0 ? 4 : 0;
    // The files may become larger than before, not smaller.
    const std::uint64_t more_mb = prng.below(2);
    for (FileOptions& file : options.files) {
        if (!file.is_log && file.increment_mb != 0) file.max_size_mb += more_mb;
    }
    // Whether writes are made durable one by one; a device that lies about one of the two goes on lying.
    const bool is_free_to_choose = !plan.device.lies.has(ums::PowerLie::flush_ignored) &&
                                   !plan.device.lies.has(ums::PowerLie::overtaking) && !plan.device.lies.has(ums::PowerLie::fua_ignored);
    if (is_free_to_choose) options.write_through = prng.below(4) != 0;
}

// Not more than a checkpoint lists as exceptions: one that promises nothing takes back the whole ledger, and if the log that is left ends
// with it, what was promised later, too.
void draw_failing_writes(CrashPlan& plan) {
    ums::Prng prng(ums::mix64(plan.seed ^ 0x7772697465));
    if (prng.below(16) != 0) return;
    constexpr std::uint64_t kFailingMax = 64;
    static_assert(kFailingMax <= kUnwrittenPagesMax);
    plan.faults.push_back({.kind = FindingKind::io_error,
                           .rate = 0.02,
                           .count_max = prng.between(4, kFailingMax),
                           .failing = FailingRequests::written_pages});
}

// By moment.
std::multimap<std::uint64_t, PlannedCut> plan_cuts(const CrashPlan& plan) {
    CrashRun watched(plan);
    CutMoments moments(plan.options, [&watched] { return watched.simulation.phase(); });
    watched.run([&](const ums::PowerMoment& moment) {
        moments.observe(moment);
        watched.promise_at_times();
    });
    ums::Prng prng(ums::mix64(plan.seed ^ 0x63757473));
    std::multimap<std::uint64_t, PlannedCut> cuts;
    for (std::uint32_t i = 0; i < plan.cut_count; ++i) {
        const CutMoments::Choice choice = moments.draw(prng);
        cuts.emplace(choice.moment, PlannedCut{choice.reason, prng.next()});
    }
    return cuts;
}

}  // namespace

CrashPlan draw_crash_plan(std::uint64_t seed, ums::PowerLies lies) {
    ums::Prng prng(ums::mix64(seed ^ 0x706f776572));
    CrashPlan plan;
    plan.seed = seed;
    plan.options = rehearsal_options(seed);
    const bool is_about_syncs = lies.has(ums::PowerLie::flush_ignored) || lies.has(ums::PowerLie::overtaking);
    if (is_about_syncs) plan.options.write_through = false;
    const bool is_about_writes = lies.has(ums::PowerLie::fua_ignored);
    if (is_about_writes) plan.options.write_through = true;
    for (FileOptions& file : plan.options.files) {
        if (is_about_syncs || is_about_writes) file.durability = Durability::inherited;
    }
    ums::VolatileOptions& device = plan.device;
    device.seed = prng.next();
    device.atomic_unit_bytes = prng.below(2) == 0 ? 512 : 4096;
    device.destage_min_ns = prng.between(1, 100) * ums::kNsPerMs;
    device.destage_max_ns = device.destage_min_ns + prng.between(100, 1000) * ums::kNsPerMs;
    device.lies = lies;
    const FileOptions& file = draw_lying_file(plan.options, prng);
    device.lying_path = file.path;
    // A part at the end of the file, from a single page to all pages but the first.
    const std::uint64_t page_count = (std::uint64_t{file.initial_size_mb} << 20) / kPageBytes;
    device.hole_begin_bytes = prng.between(1, page_count - 1) * kPageBytes;
    device.overtaking_ns = prng.between(5, 50) * ums::kNsPerMs;
    device.rolled_back_ns = prng.between(20, 500) * ums::kNsPerMs;

    if (plan.options.recent.log_instant_growth) device.new_space = stale_log_space(plan.options, seed);

    // Much log: in half of the runs it wraps around, and only that reveals a hole in the log.
    const bool is_hole_in_log = lies.has(ums::PowerLie::write_hole) && file.is_log;
    plan.options.random_user.user_count = 4;
    const std::uint32_t log_bytes_max = prng.below(2) == 0 && !is_hole_in_log ? 512 : 8192;
    const bool has_long_records = plan.options.random_user.max_log_per_buffer_bytes > kLogBlockBytesMax;
    if (!has_long_records) plan.options.random_user.max_log_per_buffer_bytes = log_bytes_max;
    plan.options.random_user.sleep_after_ms = 20;
    draw_failing_writes(plan);
    return plan;
}

CrashReport rehearse_crash(const CrashPlan& plan, const CrashJudge& judge) {
    const ums::MemoryReserve reserve;
    const std::multimap<std::uint64_t, PlannedCut> cuts = plan_cuts(plan);
    std::vector<CrashState> states;
    WriteBook book = plan.start ? plan.start->book : WriteBook(plan.options);
    CrashRun crashed(plan);
    crashed.run([&](const ums::PowerMoment& moment) {
        const auto [begin, end] = cuts.equal_range(moment.number);
        for (auto cut = begin; cut != end; ++cut) {
            states.push_back({crashed.storage.cut(cut->second.seed), cut->second.reason, crashed.simulation.phase(), book, std::nullopt});
            for (const InjectedFault& fault : crashed.injector.faults()) {
                if (fault.exposed) states.back().book.write_failed(fault.path, fault.offset_bytes);
            }
            if (plan.has_ledger) states.back().promises = copy_of(crashed.ledger.promises());
        }
        book.observe(moment);
        if (plan.watch) plan.watch(moment);
        crashed.promise_at_times();
    });
    if (ums::MemoryReserve::is_spent()) throw std::bad_alloc();  // the run was cut short, so its results mean nothing
    for (CrashState& state : states) judge(plan, state);
    return std::move(crashed.report);
}

std::optional<CrashPlan> plan_second_cut(const CrashPlan& plan, const CrashState& state) {
    const LeftLog log(plan.options, state.power, state.book);
    if (log.is_empty() || log.end_sequence() == 0 || log.lost_sequence(log.hardened_sequence())) return std::nullopt;
    auto start = std::make_shared<CrashStart>(CrashStart{{}, state.book, std::nullopt});
    if (state.promises) start->promises = copy_of(*state.promises);
    for (const auto& [path, file] : state.power.files) start->files[path] = file->copy();
    start->book.forget_behind(log.end_sequence(), log.end_lsn());
    forget_failed(*start, log, plan.options);
    CrashPlan second = plan;
    second.seed = ums::mix64(plan.seed ^ ums::mix64(state.power.moment));
    second.cut_count = 1;
    second.options.seed = second.seed;
    second.options.job = Job::resume;
    second.device.seed = ums::mix64(plan.device.seed ^ second.seed);
    second.start = std::move(start);
    change_settings(second);
    return second;
}

}  // namespace sim
