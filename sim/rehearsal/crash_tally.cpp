#include "sim/rehearsal/crash_tally.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sim/errors.hpp"
#include "sim/rehearsal/cut_findings.hpp"
#include "sim/rehearsal/fault_injector.hpp"
#include "sim/rehearsal/fault_matching.hpp"
#include "sim/rehearsal/left_log.hpp"
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

ums::PowerCut copy_of_files(const ums::PowerCut& power) {
    ums::PowerCut copy;
    for (const auto& [path, file] : power.files) copy.files[path] = file->copy();
    return copy;
}

// Nothing if no file was left with which a verification could begin.
std::optional<CrashVerdict> verdict_on(const CrashPlan& plan, CrashState& state, Knowledge knowledge) {
    try {
        if (knowledge == Knowledge::files) return verify_cut(plan, state.power);
        ums::PowerCut copy = copy_of_files(state.power);
        return verify_cut(plan, copy, state.promises ? &*state.promises : nullptr);
    } catch (const RefusedError&) {
        return std::nullopt;
    }
}

// --- how a verification must end ---

// Refused only if neither a file nor the ledger says to which run the files belong, or the ledger has heard of no run: signed files are
// then those of an earlier one. Nothing can be said of an empty log; that of a run that was resumed may hold blocks that the book has
// forgotten.
DueEnd due_end(const CrashPlan& plan, const CrashState& state, Knowledge knowledge) {
    const Promises* const promises = knowledge == Knowledge::files_and_ledger && state.promises ? &*state.promises : nullptr;
    const bool is_unknown_to_ledger = promises != nullptr && promises->section().run_id == 0;
    const bool has_promises = promises != nullptr && !promises->are_void();
    DueEnd due;
    due.may_be_refused = is_unknown_to_ledger || (!has_promises && !is_any_file_signed(plan.options, state.power));
    const bool is_empty = LeftLog(plan.options, state.power, state.book).is_empty();
    if (!is_empty) due.outcome = Outcome::passed;
    if (is_empty && !plan.start) due.outcome = Outcome::not_done;
    return due;
}

// --- what cannot be read ---

// Of one kind of file or of both: a few pages or parts of a log that lie together.
std::vector<FaultPlan> draw_unreadable(const CrashPlan& plan, const ums::PowerCut& power) {
    ums::Prng prng(ums::mix64(plan.seed ^ ums::mix64(power.moment ^ 0x756e72656164)));
    if (prng.below(16) != 0) return {};
    return {{.kind = FindingKind::io_error, .rate = 0.5, .count_max = prng.between(1, 3), .failing = FailingRequests::read_ranges}};
}

// Empty if all is well.
std::string judge_unreadable(const CrashPlan& plan, const CrashState& state, const Promises* promises, const CrashExplanation& explanation,
                             const std::vector<FaultPlan>& faults, const DueEnd& due) {
    ums::PowerCut copy = copy_of_files(state.power);
    CrashVerdict verdict;
    try {
        verdict = verify_cut(plan, copy, promises, faults);
    } catch (const RefusedError&) {
        return wrong_end(std::nullopt, due);
    }
    std::vector<std::string> problems = problems_if_unreadable(plan.options, explanation, state.power.lost, verdict);
    const std::string end = wrong_end(verdict, due);
    if (!end.empty()) problems.push_back(end);
    return fmt::format("{}", fmt::join(problems, "\n    "));
}

bool is_path_of_log(const Options& options, const std::string& path) {
    return std::any_of(options.files.begin(), options.files.end(),
                       [&path](const FileOptions& file) { return file.is_log && file.path == path; });
}

// A part of the log that cannot be read may hide the last complete checkpoint: an earlier one shows that the pages are lost, too, but only
// how new they were when that one began.
CrashExplanation without_least_versions(CrashExplanation explanation) {
    for (CrashProof& proof : explanation.proofs) proof.least_version = 0;
    return explanation;
}

std::string describe_proofs(const CrashExplanation& explanation) {
    constexpr std::size_t kShownMax = 16;
    std::string text;
    const std::size_t count = explanation.proofs.size();
    for (std::size_t i = 0; i < std::min(count, kShownMax); ++i) {
        const CrashProof& proof = explanation.proofs[i];
        text += fmt::format("\n  {}: {}", proof.is_excused ? "true, but not proven" : "proven", proof.text);
    }
    if (count > kShownMax) text += fmt::format("\n  proven: {} more", count - kShownMax);
    return text;
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

std::string describe_verdict(const std::optional<CrashVerdict>& verdict) {
    if (!verdict) return "\n  verification: refused, no file is left that begins as the run made it";
    std::string text;
    for (const Finding& finding : verdict->findings) {
        text += fmt::format("\n  found: {}, {}: {}", finding.place.path, title_of(finding.kind), finding.description);
    }
    if (verdict->findings.empty())
        text += fmt::format("\n  verification: nothing found.{}{}", verdict->reason.empty() ? "" : " ", verdict->reason);
    return text;
}

}  // namespace

CrashVerdict verify_cut(const CrashPlan& plan, ums::PowerCut& power, const Promises* promises, const std::vector<FaultPlan>& faults) {
    CrashVerdict verdict;
    const ums::VirtualClock clock;
    ums::SimulatedStorage disk(clock, ums::simulated_disk(ums::mix64(plan.seed)));
    for (auto& [path, file] : power.files) disk.put(path, std::move(file));
    Options options = plan.options;
    options.job = Job::verify;
    FindingsSink sink(verdict.findings);
    std::optional<PromiseMemory> ledger;
    if (promises != nullptr) ledger.emplace(*promises);
    FaultInjector injector(disk, clock, FaultInjector::setup_for(options, faults, ums::mix64(plan.seed ^ power.moment)));
    Simulation verification(options, faults.empty() ? static_cast<ums::Storage&>(disk) : injector, clock, sink,
                            ledger ? &*ledger : nullptr);
    Results results = verification.run();
    verdict.faults = injector.faults();
    verdict.outcome = results.outcome;
    verdict.reason = results.outcome_reason;
    verdict.durability = results.durability.value_or(DurabilityResult{});
    return verdict;
}

std::string wrong_end(const std::optional<CrashVerdict>& verdict, const DueEnd& due) {
    if (!verdict) return due.may_be_refused ? "" : "the verification was refused, although it is known to which run the files belong";
    if (!verdict->findings.empty()) return verdict->outcome == Outcome::failed ? "" : "it found something and did not fail";
    if (verdict->outcome == Outcome::failed) return "it found nothing and failed";
    if (!due.outcome || verdict->outcome == *due.outcome) return {};
    return verdict->outcome == Outcome::passed ? "it passed, although the log is empty"
                                               : "it says nothing of files that can be verified: " + verdict->reason;
}

std::vector<std::string> problems_if_unreadable(const Options& options, const CrashExplanation& explanation,
                                                const std::vector<ums::LostWrite>& lost, const CrashVerdict& verdict) {
    std::vector<Finding> unread;
    std::vector<Finding> others;
    for (const Finding& finding : verdict.findings) {
        const bool is_unread = finding.kind == FindingKind::io_error && finding.request.of_file == FileRequest::none;
        (is_unread ? unread : others).push_back(finding);
    }
    const bool is_log_whole = std::none_of(verdict.faults.begin(), verdict.faults.end(),
                                           [&options](const InjectedFault& fault) { return is_path_of_log(options, fault.path); });
    const CrashExplanation proven = is_log_whole ? explanation : without_least_versions(explanation);
    std::vector<std::string> problems = unexplained_findings(proven, lost, others);
    const MatchResult match = match_faults(verdict.faults, unread);
    problems.insert(problems.end(), match.problems.begin(), match.problems.end());
    if (!is_log_whole) return problems;
    for (const std::string& missed : proofs_without_finding(explanation, verdict.findings)) {
        problems.push_back("proven by what can be read, but not found: " + missed);
    }
    return problems;
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
    const std::vector<FaultPlan> unreadable = draw_unreadable(plan, state.power);
    const bool has_ledger = knowledge == Knowledge::files_and_ledger && state.promises;
    std::string unread;
    const DueEnd due = due_end(plan, state, knowledge);
    if (!unreadable.empty()) unread = judge_unreadable(plan, state, has_ledger ? &*state.promises : nullptr, explanation, unreadable, due);
    const std::optional<CrashVerdict> verdict = verdict_on(plan, state, knowledge);
    const bool is_damaged = !state.power.lost.empty();
    const bool has_findings = verdict && !verdict->findings.empty();
    const bool is_provable = is_damaged && explanation.is_provable();
    const bool is_unproven = is_damaged && !explanation.is_provable();
    judgement.is_intact = !has_findings && explanation.proofs.empty();
    tally.cuts = 1;
    tally.damaged = is_damaged ? 1 : 0;
    tally.provable = is_provable ? 1 : 0;
    tally.found = is_provable && has_findings ? 1 : 0;
    tally.blamed = has_findings && (!is_damaged || explanation.proofs.empty()) ? 1 : 0;
    if (is_unproven) tally.unproven.at(static_cast<std::size_t>(explanation.reason())) = 1;
    judgement.text += describe_proofs(explanation);
    if (is_unproven) judgement.text += fmt::format("\n  not proven: {}", name_of(explanation.reason()));
    judgement.text += describe_verdict(verdict);
    judgement.problem = wrong_end(verdict, due);
    if (is_provable && !has_findings) judgement.problem = "provable damage was not found";
    if (tally.blamed != 0) judgement.problem = "the device is blamed, but the files prove nothing";
    if (verdict) {
        const std::vector<std::string> wrong = unexplained_findings(explanation, state.power.lost, verdict->findings);
        const std::vector<std::string> missing = proofs_without_finding(explanation, verdict->findings);
        if (!wrong.empty()) judgement.problem = fmt::format("found, but not proven: {}", fmt::join(wrong, "; "));
        if (!missing.empty() && has_findings) judgement.problem = fmt::format("proven, but not found: {}", fmt::join(missing, "; "));
    }
    if (!explanation.problem.empty()) judgement.problem = explanation.problem;
    if (!unread.empty()) judgement.problem = "while parts cannot be read: " + unread;
    if (!is_damaged && !explanation.proofs.empty()) judgement.problem = "nothing is lost, but the files prove that something is";
    if (is_unproven && explanation.reason() == MissReason::unexplained) judgement.problem = "no rule says why the damage is not provable";
    return judgement;
}

}  // namespace sim
