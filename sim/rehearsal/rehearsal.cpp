#include "sim/rehearsal/rehearsal.hpp"

#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>

#include "sim/rehearsal/fault_injector.hpp"
#include "sim/simulation.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/prng.hpp"
#include "ums/io/simulated_storage.hpp"

namespace sim {

namespace {

// Everything that a real run has, but little of it: a MB or two, some hundred milliseconds of virtual time.
Options rehearsal_options(std::uint64_t seed) {
    ums::Prng prng(ums::mix64(seed));
    Options options;
    options.seed = seed;
    options.engine = EngineChoice::automatic;
    options.cpu_count = static_cast<std::uint32_t>(prng.between(1, 2));
    options.max_memory_mb = 8;
    options.stop_on_error = false;
    options.test_cycle_duration_s = 1;
    options.cache_hit_ratio = prng.below(2) == 0 ? 1000 : 5000;
    options.use_scatter_gather = prng.below(4) != 0;
    options.write_through = prng.below(4) != 0;
    options.stamp_files = prng.below(4) == 0;
    options.checkpoint_pages = prng.below(2) == 0 ? 128 : 32;
    options.checkpoint_interval_ms = static_cast<std::uint32_t>(prng.between(100, 400));
    options.log_flushes_outstanding = static_cast<std::uint32_t>(prng.between(1, 8));
    options.random_user.user_count = static_cast<std::int32_t>(prng.between(1, 2));
    options.random_user.min_io_chain_pages = 8;
    options.random_user.max_io_chain_pages = 24;
    options.random_user.max_log_per_buffer_bytes = 512;
    options.random_user.read_write_ratio = prng.below(2) == 0 ? 3000 : 7000;
    options.random_user.sleep_after_ms = 100;
    options.audit_user = {.user_count = 1, .buffers_validated_pages = 32, .delay_after_cycles = 1, .delay_ms = 120};
    options.read_ahead_user = {.user_count = 1, .min_pages = 8, .max_pages = 32, .delay_after_cycles = 1, .delay_ms = 120};
    options.bulk_update_user = {.user_count = 1, .min_pages = 8, .max_pages = 32, .delay_after_cycles = 1, .delay_ms = 150};
    options.shrink_user = {.min_interval_s = 1, .max_interval_s = 1, .min_extends = 1, .max_extends = 1};
    options.files = {{.path = "/simulated/a.mdx", .initial_size_mb = 1, .max_size_mb = 2, .increment_mb = 1, .shrinkable = true},
                     {.path = "/simulated/log.ldx", .initial_size_mb = 1, .max_size_mb = 1, .is_log = true}};
    if (prng.below(4) == 0) options.files.push_back({.path = "/simulated/b.mdx", .initial_size_mb = 1, .max_size_mb = 1});
    return options;
}

class RehearsalSink final : public EventSink {
public:
    RehearsalSink(RehearsalReport& report, FaultInjector& injector) : report_(report), injector_(injector) {}

    void on_event(const Event& event) override {
        report_.log.push_back(fmt::format("{} ms {}: {}", event.tick_ms, event.user, event.description));
    }
    void on_finding(const Finding& finding) override {
        injector_.on_finding(finding);
        report_.findings.push_back(finding);
        report_.log.push_back(describe(finding));
    }

private:
    RehearsalReport& report_;
    FaultInjector& injector_;
};

// When, and how often then: there are thousands of page transfers in the main run, some hundred in the other phases.
struct Chance {
    Phase phase;
    double rate;
};

Chance draw_chance(FindingKind kind, ums::Prng& prng) {
    const bool by_reading_only = kind == FindingKind::misdirected_read || kind == FindingKind::bytes_not_read;
    const bool by_writing_only = kind == FindingKind::stale_read || kind == FindingKind::lost_write || kind == FindingKind::reverted_page ||
                                 kind == FindingKind::torn_page || kind == FindingKind::misdirected_write;
    // There must be a version before.
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
        // What the log's ring does not write over before the audit.
        plan.rate = 0.2;
        plan.not_before_ns = prng.between(500, 950) * ums::kNsPerMs;
        plan.count_max = 1;
        return plan;
    }
    const Chance chance = draw_chance(kind, prng);
    plan.during = chance.phase;
    plan.rate = chance.rate;
    plan.count_max = prng.below(4) == 0 ? 2 : 1;
    const bool is_about_requests = kind == FindingKind::io_error || kind == FindingKind::short_transfer || kind == FindingKind::stalled_io;
    if (is_about_requests) plan.rate = std::min(1.0, plan.rate * 10);
    if (prng.below(3) == 0) {
        plan.place = static_cast<FaultPlace>(prng.between(1, kFaultPlaceCount - 1));
        plan.rate = plan.place == FaultPlace::middle_page ? plan.rate * 2 : 0.3;
    }
    return plan;
}

}  // namespace

std::vector<FaultPlan> draw_fault_plans(FindingKind kind, std::uint64_t seed) {
    ums::Prng prng(ums::mix64(seed) + static_cast<std::uint64_t>(kind));
    std::vector<FaultPlan> plans{draw_plan(kind, prng)};
    if (prng.below(8) != 0) return plans;
    const auto second = static_cast<FindingKind>(prng.below(kFindingKindCount));
    // Behind one fault of the log the next one cannot be seen, and what went elsewhere is not found in a page that a stalled request holds.
    const bool has_stall = kind == FindingKind::stalled_io || second == FindingKind::stalled_io;
    const bool has_search = kind == FindingKind::misdirected_write || second == FindingKind::misdirected_write;
    if ((is_log_fault(second) && is_log_fault(kind)) || (has_stall && has_search)) return plans;
    plans.push_back(draw_plan(second, prng));
    return plans;
}

RehearsalReport rehearse(std::uint64_t seed, const std::vector<FaultPlan>& plans) {
    RehearsalReport report;
    const Options options = rehearsal_options(seed);
    const ums::VirtualClock clock;
    ums::SimulatedStorage disk(clock, ums::simulated_disk(seed));
    FaultInjector::Setup setup{.plans = plans, .seed = ums::mix64(seed), .log_paths = {}};
    for (const FileOptions& file : options.files) {
        if (file.is_log) setup.log_paths.push_back(file.path);
    }
    FaultInjector injector(disk, clock, std::move(setup));
    RehearsalSink sink(report, injector);
    Simulation simulation(options, injector, clock, sink);
    injector.set_phase_source([&simulation] { return simulation.phase(); });
    report.outcome = simulation.run().outcome;
    injector.set_phase_source({});
    report.faults = injector.faults();
    report.match = match_faults(report.faults, report.findings);
    report.trace_hash = injector.trace_hash();
    report.request_count = injector.request_count();
    const bool failed =
        std::any_of(report.findings.begin(), report.findings.end(), [](const Finding& finding) { return !finding.is_warning; });
    if (report.outcome != (failed ? Outcome::failed : Outcome::passed)) {
        report.match.problems.emplace_back("the outcome of the run does not say what its findings say");
    }
    return report;
}

}  // namespace sim
