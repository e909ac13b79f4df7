#include "sim/rehearsal/hand_over.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/errors.hpp"
#include "sim/group/group_explanation.hpp"
#include "sim/group/run_group.hpp"
#include "sim/limits.hpp"
#include "sim/page/log_layout.hpp"
#include "sim/rehearsal/crash_rehearsal.hpp"
#include "sim/rehearsal/hand_over_faults.hpp"
#include "sim/rehearsal/host_view.hpp"
#include "sim/rehearsal/left_log.hpp"
#include "sim/rehearsal/owner_writes.hpp"
#include "sim/rehearsal/promise_memory.hpp"
#include "sim/run/simulation.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/memory_reserve.hpp"
#include "ums/base/prng.hpp"
#include "ums/io/simulated_storage.hpp"

namespace sim {

namespace {

constexpr std::array<std::string_view, kHandOverFaultCount> kNames = {"honest",      "lost_write", "torn_write",
                                                                      "stale_cache", "late_write", "zombie"};

constexpr std::array kWitnessLosses{HostLoss::witness_away, HostLoss::witness_lost};

// --- the new owner ---

bool is_recovering(Phase phase) {
    return phase == Phase::create || phase == Phase::log_analysis || phase == Phase::page_verification || phase == Phase::redo;
}

struct NewOwner final : EventSink, RunGroup {
    NewOwner(const CrashPlan& plan, const std::vector<PastOwner>& before)
        : volume(clock, ums::simulated_disk(plan.seed)),
          view(volume, clock, [this] { return !is_recovering(simulation.phase()); }),
          ledger(*plan.start->promises),
          simulation(plan.options, view, clock, *this, &ledger, this) {
        for (const auto& [path, file] : plan.start->files) volume.put(path, file->copy());
        knowledge.run_id = plan.start->promises->section().run_id;
        knowledge.rank = static_cast<std::uint32_t>(before.size());
        knowledge.is_taking_over = true;
        for (const PastOwner& owner : before) knowledge.owners.push_back(owner.owned);
    }

    void on_event(const Event& /*event*/) override {}
    void on_finding(const Finding& finding) override { findings.push_back(finding); }

    // Nobody else is left in the group.
    void begins(std::uint64_t /*run_id*/, std::vector<std::string> /*paths*/) override {}
    [[nodiscard]] bool may_pass(Meeting /*meeting*/, std::uint32_t /*cycle*/) override { return true; }
    [[nodiscard]] std::uint64_t rest_us() const override { return 0; }
    [[nodiscard]] std::uint64_t wanted_run_id() const override { return knowledge.run_id; }
    void verified(const TakeOverResult& /*what*/) override {}
    void takes_over(TakeOver what) override { knowledge.taken_over = std::move(what); }
    void explain(Finding& finding) const override { sim::explain(finding, knowledge); }

    void inject(const std::vector<HandedFault>& faults) {
        for (const HandedFault& each : faults) {
            if (stands_there_from_the_start(each.fault)) {
                volume.find(each.trouble.path)
                    ->write(std::uint64_t{each.trouble.page_id} * kPageBytes, each.trouble.image.data(), kPageBytes);
            } else {
                view.add(each.trouble);
            }
        }
    }

    GroupKnowledge knowledge;
    std::vector<Finding> findings;
    ums::VirtualClock clock;
    ums::SimulatedStorage volume;
    HostView view;
    PromiseMemory ledger;
    Simulation simulation;
};

// --- results ---

bool was_given(const HandedFault& injected, const HostView& view) {
    if (stands_there_from_the_start(injected.fault)) return true;  // a new owner reads every page
    const auto& troubles = view.troubles();
    return std::any_of(troubles.begin(), troubles.end(), [&](const HostView::Trouble& trouble) {
        return trouble.path == injected.trouble.path && trouble.page_id == injected.trouble.page_id && trouble.was_seen;
    });
}

std::vector<HostsFault> faults_of(const std::vector<HandedFault>& injected, const HostView& view, const KnownOwner& last) {
    std::vector<HostsFault> faults;
    for (const HandedFault& each : injected) {
        HostsFault fault;
        fault.what = fmt::format("{}, page {} of {}", name_of(each.fault), each.trouble.page_id, each.trouble.path);
        fault.file_id = each.file_id;
        fault.page_id = each.trouble.page_id;
        fault.was_given = was_given(each, view);
        fault.is_named_right = [&each, &last](const Finding& finding) { return is_hand_over_named_right(each, finding, last); };
        faults.push_back(std::move(fault));
    }
    return faults;
}

// --- from owner to owner ---

class Chain {
public:
    Chain(std::uint64_t seed, HandOverFault fault, std::optional<HostLoss> loss)
        : seed_(seed),
          fault_(fault),
          loss_(loss),
          prng_(ums::mix64(seed ^ ums::mix64(0x686f737473 + static_cast<std::uint64_t>(fault)))),
          losses_(ums::mix64(seed ^ ums::mix64(0x6c6f7374 + static_cast<std::uint64_t>(fault)))) {}

    HostsReport run() {
        report_.text = fmt::format("--- seed {}, {}\n", seed_, name_of(fault_));
        CrashPlan plan = draw_crash_plan(seed_, {});
        plan.options.tempdb_user = {};  // tempdb and backups stay with their host
        plan.options.backup_user = {};
        plan.faults = {};  // only what happens between the owners
        plan.options.stop_on_error = false;
        plan.cut_count = 1;
        plan.has_ledger = true;
        owners_left_ = static_cast<std::uint32_t>(prng_.between(1, 2));
        constexpr std::uint64_t kAnotherIn = 4;
        const bool has_another = ums::mix64(seed_ ^ 0x616e6f74686572) % kAnotherIn == 0;
        if (owners_left_ == 2 && has_another) owners_left_ = 3;
        own(plan);
        if (was_witness_away_) ++report_.tally.losses;
        return std::move(report_);
    }

private:
    // One owner works and is cut off; then the next one follows.
    void own(CrashPlan plan) {
        plan.ledger_loss = draw_loss(loss_, kWitnessLosses, losses_);
        was_witness_away_ = was_witness_away_ || plan.ledger_loss.loss != HostLoss::none;
        auto writes = std::make_shared<OwnerWrites>(plan.options);
        plan.watch = [writes](const ums::PowerMoment& moment) { writes->observe(moment); };
        std::optional<CrashPlan> next;
        const CrashReport report = rehearse_crash(plan, [&](const CrashPlan& of, CrashState& state) {
            next = plan_second_cut(of, state);
            const LeftLog log(of.options, state.power, state.book);
            // If the log is newer than the promises, nobody demands them: its owner was cut off before it promised anything.
            const bool is_promised =
                state.promises && !state.promises->are_void() && log.incarnation() <= state.promises->section().incarnation;
            if (!next || !is_promised) return next.reset();
            PastOwner past{writes, state.power.moment, {}, plan.ledger_loss.loss};
            past.owned.rank = static_cast<std::uint32_t>(owners_.size());
            past.owned.incarnation = past.owned.rank + 1;
            past.owned.host = fmt::format("host-{}", past.owned.rank);
            past.owned.first_vlf = owners_.empty() ? 0 : vlf_of_lsn(writes->first_lsn());
            past.owned.last_lsn = log.end_lsn();
            owners_.push_back(std::move(past));
        });
        for (const Finding& finding : report.findings) {
            ++report_.tally.false_alarms;
            report_.problem += fmt::format("seed {}: owner {} found: {}\n", seed_, owners_.size(), text_of(finding));
        }
        if (!next || !report.findings.empty()) return;  // cut while the files were created: nothing is handed over
        ++report_.tally.hosts;
        next->watch = {};
        if (--owners_left_ > 0) return own(*next);
        hand_over_to_the_last(*next);
    }

    void hand_over_to_the_last(const CrashPlan& plan) {
        const std::vector<HandedFault> faults = draw_hand_over_faults(fault_, owners_, *plan.start, prng_);
        NewOwner owner(plan, owners_);
        owner.inject(faults);
        const Outcome outcome = owner.simulation.run().outcome;
        if (ums::MemoryReserve::is_spent()) throw std::bad_alloc();  // the run was cut short, so its results mean nothing
        for (const PastOwner& past : owners_) {
            report_.text += fmt::format("  owner {} from VLF {} to LSN {:#x}{}\n", past.owned.rank, past.owned.first_vlf,
                                        past.owned.last_lsn, past.loss == HostLoss::none ? "" : fmt::format(", {}", name_of(past.loss)));
        }
        report_.text += fmt::format("  {} owners before, {} faults, {} findings\n", owners_.size(), faults.size(), owner.findings.size());
        judge_host(fmt::format("seed {}, {}", seed_, name_of(fault_)), faults_of(faults, owner.view, owners_.back().owned), owner.findings,
                   {outcome}, report_);
    }

    const std::uint64_t seed_;
    const HandOverFault fault_;
    const std::optional<HostLoss> loss_;
    ums::Prng prng_;
    ums::Prng losses_;
    bool was_witness_away_ = false;
    std::uint32_t owners_left_ = 1;
    std::vector<PastOwner> owners_;
    HostsReport report_;
};

}  // namespace

std::string_view name_of(HandOverFault fault) { return kNames.at(static_cast<std::size_t>(fault)); }

std::optional<HandOverFault> hand_over_fault_of(std::string_view name) {
    const auto found = std::find(kNames.begin(), kNames.end(), name);
    if (found == kNames.end()) return std::nullopt;
    return static_cast<HandOverFault>(found - kNames.begin());
}

std::optional<GroupFactKind> expected_fact(HandOverFault fault) {
    switch (fault) {
        case HandOverFault::honest: return std::nullopt;
        case HandOverFault::lost_write: return GroupFactKind::missing_after_hand_over;
        case HandOverFault::torn_write: return GroupFactKind::torn_by_hand_over;
        case HandOverFault::stale_cache: return GroupFactKind::stale_on_new_owner;
        case HandOverFault::late_write: return GroupFactKind::late_write;
        case HandOverFault::zombie: return GroupFactKind::zombie_owner;
    }
    UMS_ASSERT(false && "unknown fault");
}

HostsReport rehearse_hand_over(std::uint64_t seed, HandOverFault fault, std::optional<HostLoss> loss) {
    const ums::MemoryReserve reserve;
    return Chain(seed, fault, loss).run();
}

}  // namespace sim
