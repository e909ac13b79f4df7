#include "sim/rehearsal/crash_tally.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sim/errors.hpp"
#include "sim/rehearsal/promise_memory.hpp"
#include "sim/run/simulation.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/prng.hpp"
#include "ums/io/simulated_storage.hpp"

namespace sim {
namespace {

class FindingsSink final : public EventSink {
public:
    explicit FindingsSink(std::vector<Finding>& findings) : findings_(findings) {}
    void on_event(const Event& /*event*/) override {}
    void on_finding(const Finding& finding) override { findings_.push_back(finding); }

private:
    std::vector<Finding>& findings_;
};

std::string describe_cut(const CrashPlan& plan, const CrashState& state) {
    return fmt::format("seed {}, cut at moment {} ({}, in phase '{}'), left {}, sectors of {}", plan.seed, state.power.moment,
                       name_of(state.reason), name_of(state.phase), name_of(state.power.mix), plan.device.atomic_unit_bytes);
}

// Nothing if no file was left with which a verification could begin.
std::optional<CrashVerdict> verdict_on(const CrashPlan& plan, CrashState& state, Knowledge knowledge) {
    try {
        if (knowledge == Knowledge::files) return verify_cut(plan, state.power);
        ums::PowerCut copy;
        for (const auto& [path, file] : state.power.files) copy.files[path] = file->copy();
        return verify_cut(plan, copy, state.promises ? &*state.promises : nullptr);
    } catch (const RefusedError&) {
        return std::nullopt;
    }
}

std::string describe_losses(const ums::PowerCut& power) {
    static constexpr std::array<std::string_view, 3> kParts = {"contents", "size", "name"};
    constexpr std::size_t kShownMax = 4;
    std::string text;
    for (std::size_t i = 0; i < power.lost.size() && i < kShownMax; ++i) {
        const ums::LostWrite& lost = power.lost[i];
        text += fmt::format("\n  lost: {}, {} from byte {} on, {} bytes", lost.path, kParts.at(static_cast<std::size_t>(lost.part)),
                            lost.offset_bytes, lost.size_bytes);
    }
    if (power.lost.size() > kShownMax) text += fmt::format("\n  lost: {} more", power.lost.size() - kShownMax);
    return text;
}

}  // namespace

CrashVerdict verify_cut(const CrashPlan& plan, ums::PowerCut& power, const Promises* promises) {
    CrashVerdict verdict;
    const ums::VirtualClock clock;
    ums::SimulatedStorage disk(clock, ums::simulated_disk(ums::mix64(plan.seed)));
    for (auto& [path, file] : power.files) disk.put(path, std::move(file));
    Options options = plan.options;
    options.job = Job::verify;
    FindingsSink sink(verdict.findings);
    std::optional<PromiseMemory> ledger;
    if (promises != nullptr) ledger.emplace(*promises);
    Simulation verification(options, disk, clock, sink, ledger ? &*ledger : nullptr);
    Results results = verification.run();
    verdict.outcome = results.outcome;
    verdict.reason = results.outcome_reason;
    verdict.durability = results.durability.value_or(DurabilityResult{});
    return verdict;
}

void CrashTally::add(const CrashTally& other) {
    cuts += other.cuts;
    damaged += other.damaged;
    provable += other.provable;
    found += other.found;
    blamed += other.blamed;
    for (std::size_t i = 0; i < unproven.size(); ++i) unproven[i] += other.unproven[i];
}

CutJudgement judge_cut(const CrashPlan& plan, CrashState& state, Knowledge knowledge) {
    CutJudgement judgement;
    CrashTally& tally = judgement.tally;
    judgement.text = describe_cut(plan, state) + describe_losses(state.power);
    const CrashExplanation explanation = explain_cut(plan, state, knowledge);
    const std::optional<CrashVerdict> verdict = verdict_on(plan, state, knowledge);
    const bool is_damaged = !state.power.lost.empty();
    const bool has_findings = verdict && !verdict->findings.empty();
    const bool is_provable = is_damaged && explanation.is_provable();
    const bool is_unproven = is_damaged && !explanation.is_provable();
    tally.cuts = 1;
    tally.damaged = is_damaged ? 1 : 0;
    tally.provable = is_provable ? 1 : 0;
    tally.found = is_provable && has_findings ? 1 : 0;
    tally.blamed = has_findings && !is_provable ? 1 : 0;
    if (is_unproven) tally.unproven.at(static_cast<std::size_t>(explanation.reason())) = 1;
    for (const std::string& proof : explanation.proofs) judgement.text += "\n  proven: " + proof;
    if (is_unproven) judgement.text += fmt::format("\n  not proven: {}", name_of(explanation.reason()));
    if (!verdict) judgement.text += "\n  verification: refused, no file is left that begins as the run made it";
    if (verdict) {
        for (const Finding& finding : verdict->findings) {
            judgement.text += fmt::format("\n  found: {}, {}: {}", finding.place.path, title_of(finding.kind), finding.description);
        }
        if (verdict->findings.empty())
            judgement.text += fmt::format("\n  verification: nothing found.{}{}", verdict->reason.empty() ? "" : " ", verdict->reason);
    }
    if (verdict && has_findings != (verdict->outcome == Outcome::failed)) {
        judgement.problem = "the outcome of the verification does not say what its findings say";
    }
    if (is_provable && !has_findings) judgement.problem = "provable damage was not found";
    if (tally.blamed != 0) judgement.problem = "the device is blamed, but the files prove nothing";
    if (!is_damaged && explanation.is_provable()) judgement.problem = "nothing is lost, but the files prove that something is";
    if (is_unproven && explanation.reason() == MissReason::unexplained) judgement.problem = "no rule says why the damage is not provable";
    return judgement;
}

}  // namespace sim
