#include "sim/rehearsal/rehearsal.hpp"

#include <algorithm>
#include <initializer_list>
#include <new>

#include <fmt/format.h>

#include "sim/rehearsal/fault_injector.hpp"
#include "sim/rehearsal/rehearsal_options.hpp"
#include "sim/run/simulation.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/memory_reserve.hpp"
#include "ums/base/prng.hpp"
#include "ums/base/units.hpp"
#include "ums/io/simulated_storage.hpp"

namespace sim {

namespace {

class RehearsalSink final : public EventSink {
public:
    RehearsalSink(RehearsalReport& report, FaultInjector& injector, const ums::Clock& clock)
        : report_(report), injector_(injector), clock_(clock) {}

    // Of the first failure; kNever: there was none.
    [[nodiscard]] std::uint64_t failed_ns() const { return failed_ns_; }

    void on_event(const Event& event) override {
        report_.log.push_back(fmt::format("{} ms {}: {}", event.tick_ms, event.user, event.description));
    }
    void on_finding(const Finding& finding) override {
        injector_.on_finding(finding);
        if (!finding.is_warning) failed_ns_ = std::min(failed_ns_, clock_.now_ns());
        report_.findings.push_back(finding);
        report_.log.push_back(describe(finding));
    }

private:
    RehearsalReport& report_;
    FaultInjector& injector_;
    const ums::Clock& clock_;
    std::uint64_t failed_ns_ = ums::kNever;
};

// With StopOnError the first failure ends the run: what is under way is brought to its end, and a wrong page is examined. Only a request
// that does not come back holds up the rest.
bool worked_on(const RehearsalSink& sink, const FaultInjector& injector, bool has_stall) {
    constexpr std::uint64_t kEndingNs = 2 * ums::kNsPerSecond;
    constexpr std::uint64_t kStallMaxNs = 200 * ums::kNsPerSecond;
    const std::uint64_t ending_ns = kEndingNs + (has_stall ? kStallMaxNs : 0);
    return sink.failed_ns() != ums::kNever && injector.last_work_ns() > sink.failed_ns() + ending_ns;
}

constexpr std::uint32_t kLogBackupsS = 3;  // main run, if the rehearsal is about log backups

// When faults occur, and how often: the main run has thousands of page transfers, the other phases a few hundred.
struct Chance {
    Phase phase;
    double rate;
};

Chance draw_chance(FindingKind kind, ums::Prng& prng) {
    const bool by_reading_only = kind == FindingKind::misdirected_read || kind == FindingKind::bytes_not_read;
    const bool by_writing_only = kind == FindingKind::stale_read || kind == FindingKind::lost_write || kind == FindingKind::reverted_page ||
                                 kind == FindingKind::torn_page || kind == FindingKind::misdirected_write;
    // These need an earlier version.
    const bool is_about_versions = kind == FindingKind::stale_read || kind == FindingKind::reverted_page;
    if (is_about_versions) return {Phase::main_run, 0.05};
    switch (prng.below(8)) {
        case 0: return by_reading_only ? Chance{Phase::final_audit, 0.02} : Chance{Phase::initial_update, 0.03};
        case 1: return by_reading_only ? Chance{Phase::final_audit, 0.02} : Chance{Phase::initial_checkpoint, 0.03};
        case 2: return by_writing_only ? Chance{Phase::final_checkpoint, 0.2} : Chance{Phase::final_audit, 0.02};
        case 3: return by_reading_only ? Chance{Phase::final_audit, 0.02} : Chance{Phase::final_checkpoint, 0.2};
        default: return {Phase::main_run, by_writing_only ? 0.04 : 0.01};
    }
}

FaultPlan draw_plan(FindingKind kind, ums::Prng& prng) {
    FaultPlan plan{.kind = kind};
    if (is_log_fault(kind)) {
        // Late enough that the log does not overwrite it before the audit.
        plan.rate = 0.2;
        plan.not_before_ns = prng.between(500, 950) * ums::kNsPerMs;
        plan.count_max = 1;
        // The log may be missing from a block on; a chunk is either there or not.
        const std::uint64_t where = kind == FindingKind::wal_violation ? 0 : prng.below(3);
        if (where == 1) plan.place = FaultPlace::chain;
        if (where == 2) plan.place = FaultPlace::log_backup;
        if (where != 0) plan.not_before_ns = where == 2 ? prng.below(std::uint64_t{kLogBackupsS} * 1000) * ums::kNsPerMs : 0;
        return plan;
    }
    const Chance chance = draw_chance(kind, prng);
    plan.during = chance.phase;
    plan.rate = chance.rate;
    const bool is_about_requests = kind == FindingKind::io_error || kind == FindingKind::short_transfer || kind == FindingKind::stalled_io;
    const bool is_misdirected = kind == FindingKind::misdirected_write || kind == FindingKind::misdirected_read;
    const std::uint64_t count = prng.below(16);
    plan.count_max = count < 4 ? 2 : 1;
    // Many at once. Requests that fail overlap, and an image that is written over another one's place cannot be found.
    if (count == 0 && !is_about_requests && !is_misdirected) plan.count_max = 6;
    if (is_about_requests) plan.rate = std::min(1.0, plan.rate * 10);
    if (prng.below(3) == 0) {
        const FaultPlace last = kind == FindingKind::io_error ? FaultPlace::sync : FaultPlace::moving_end;
        plan.place = static_cast<FaultPlace>(prng.between(1, static_cast<std::uint64_t>(last)));
        plan.rate = plan.place == FaultPlace::middle_page ? plan.rate * 2 : 0.3;
    }
    return plan;
}

std::vector<FaultPlan> draw_few_faults(FindingKind kind, std::uint64_t seed) {
    ums::Prng prng(ums::mix64(seed) + static_cast<std::uint64_t>(kind));
    std::vector<FaultPlan> plans{draw_plan(kind, prng)};
    if (prng.below(8) != 0) return plans;
    const auto second = static_cast<FindingKind>(prng.below(kFindingKindCount));
    // After one log fault the next cannot be seen, and a misdirected image is not found in a page that a stalled request holds.
    const bool has_stall = kind == FindingKind::stalled_io || second == FindingKind::stalled_io;
    const bool has_search = kind == FindingKind::misdirected_write || second == FindingKind::misdirected_write;
    if ((is_log_fault(second) && is_log_fault(kind)) || (has_stall && has_search)) return plans;
    plans.push_back(draw_plan(second, prng));
    return plans;
}

// More pages than a checkpoint lists as exceptions, in a sixteenth of the runs.
void add_failing_writes(std::vector<FaultPlan>& plans, std::uint64_t seed) {
    ums::Prng prng(ums::mix64(seed ^ 0x7772697465));
    if (prng.below(16) != 0) return;
    const double rate = 0.25 * static_cast<double>(prng.between(1, 4));
    plans.push_back(
        {.kind = FindingKind::io_error, .rate = rate, .count_max = prng.between(65, 400), .failing = FailingRequests::written_pages});
}

}  // namespace

std::vector<FaultPlan> draw_fault_plans(FindingKind kind, std::uint64_t seed) {
    std::vector<FaultPlan> plans = draw_few_faults(kind, seed);
    add_failing_writes(plans, seed ^ ums::mix64(static_cast<std::uint64_t>(kind)));
    return plans;
}

RehearsalReport rehearse(std::uint64_t seed, const std::vector<FaultPlan>& plans) {
    const ums::MemoryReserve reserve;
    RehearsalReport report;
    Options options = rehearsal_options(seed);
    const auto is_any = [&plans](auto predicate) { return std::any_of(plans.begin(), plans.end(), predicate); };
    const auto is_in_log_copy = [](const FaultPlan& plan) { return plan.place == FaultPlace::log_backup; };
    const auto is_of_backups = [&](const FaultPlan& plan) { return plan.place == FaultPlace::chain || is_in_log_copy(plan); };
    if (is_any(is_of_backups)) add_backups(options, seed);
    if (is_any(is_in_log_copy)) {
        // Log backups while users work.
        options.backup_user.log_interval_s = 1;
        options.test_cycle_duration_s = kLogBackupsS;
        options.random_user.sleep_after_ms = 10;
    }
    // How a missing block must be classified depends on whether the log continues behind it, and a backup would read it while the log
    // grows.
    const bool is_in_log = is_any([&](const FaultPlan& plan) { return is_log_fault(plan.kind) && !is_of_backups(plan); });
    if (is_in_log) options.backup_user = {};
    // A log block that is wrong cannot be repaired, so the audit of each cycle would find it.
    if (is_any([](const FaultPlan& plan) { return is_log_fault(plan.kind); })) options.test_cycles = 1;
    const ums::VirtualClock clock;
    ums::SimulatedStorage disk(clock, ums::simulated_disk(seed));
    FaultInjector injector(disk, clock, FaultInjector::setup_for(options, plans, ums::mix64(seed)));
    RehearsalSink sink(report, injector, clock);
    Simulation simulation(options, injector, clock, sink);
    injector.set_phase_source([&simulation] { return simulation.phase(); });
    report.outcome = simulation.run().outcome;
    injector.set_phase_source({});
    if (ums::MemoryReserve::is_spent()) throw std::bad_alloc();  // the run was cut short, so its results mean nothing
    report.faults = injector.faults();
    std::vector<InjectedFault>& faults = report.faults;
    if (options.stop_on_error) {
        for (InjectedFault& fault : faults) fault.is_too_late = fault.exposed && fault.exposed_ns >= sink.failed_ns();
    }
    report.match = match_faults(faults, report.findings);
    const bool has_stall = is_any([](const FaultPlan& plan) { return plan.kind == FindingKind::stalled_io; });
    if (options.stop_on_error && worked_on(sink, injector, has_stall)) {
        report.match.problems.push_back(fmt::format("StopOnError: the run failed at {} ms, and worked on until {} ms",
                                                    sink.failed_ns() / ums::kNsPerMs, injector.last_work_ns() / ums::kNsPerMs));
    }
    report.trace_hash = injector.trace_hash();
    report.request_count = injector.request_count();
    if (injector.has_wrong_copy()) report.match.problems.emplace_back("a backup was completed with other log than was written");
    if (report.outcome != (has_failure(report.findings) ? Outcome::failed : Outcome::passed)) {
        report.match.problems.emplace_back("the outcome of the run does not say what its findings say");
    }
    return report;
}

}  // namespace sim
