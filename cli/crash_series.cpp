#include "cli/crash_series.hpp"

#include <fmt/format.h>

#include "cli/side_by_side.hpp"

namespace cli {

CrashSeries::CrashSeries(const RehearseArguments& arguments, Console& console) : arguments_(arguments), console_(console) {
    for (const CrashDevice& device : arguments.devices) rows_.push_back({device, {}});
    run_count_ = arguments.seed_count * (arguments.devices_in_turn ? 1 : rows_.size());
}

void CrashSeries::run() {
    do_side_by_side(arguments_.jobs, run_count_, [this](std::uint64_t index) { rehearse_one(index); });
}

// In turn the device follows from the seed, not from where the series began.
std::uint64_t CrashSeries::seed_of(std::uint64_t index) const {
    return arguments_.first_seed + (arguments_.devices_in_turn ? index : index / rows_.size());
}

std::size_t CrashSeries::row_of(std::uint64_t index) const { return (arguments_.devices_in_turn ? seed_of(index) : index) % rows_.size(); }

std::string CrashSeries::replay_command(std::uint64_t index) const {
    return fmt::format("ioproof rehearse --crash --lie {} --cuts {} --seed {} --verbose", name_of(rows_[row_of(index)].device),
                       arguments_.cuts, seed_of(index));
}

void CrashSeries::rehearse_one(std::uint64_t index) {
    CrashRow row = {arguments_.devices[row_of(index)], {}};
    ums::PowerLies lies;
    if (row.device.lie) lies.add(*row.device.lie);
    sim::CrashPlan drawn = sim::draw_crash_plan(seed_of(index), lies);
    drawn.cut_count = arguments_.cuts;
    std::string text = fmt::format("--- seed {}, {}\n", drawn.seed, name_of(row.device));
    std::string problems;
    std::uint64_t wrong = 0;
    const sim::CrashReport report = sim::rehearse_crash(drawn, [&](const sim::CrashPlan& plan, sim::CrashState& state) {
        const sim::CutJudgement judgement = sim::judge_cut(plan, state);
        row.tally.add(judgement.tally);
        text += judgement.text + "\n";
        if (judgement.problem.empty()) return;
        problems += fmt::format("{}\n  {}\n", judgement.text, judgement.problem);
        const bool is_miss = judgement.tally.found < judgement.tally.provable;
        if (!is_miss) ++wrong;
    });
    for (const sim::Finding& finding : report.findings) {
        problems += fmt::format("seed {}: a finding while there was power: {}\n", drawn.seed, finding.description);
        ++wrong;
    }
    const std::lock_guard guard(mutex_);
    rows_[row_of(index)].tally.add(row.tally);
    wrong_count_ += wrong;
    if (!problems.empty()) problems_[index] = problems;
    if (arguments_.verbose) console_.add_result(text);
}

std::string CrashSeries::first_problems() const {
    constexpr std::size_t kShownMax = 10;
    std::string text;
    std::size_t shown = 0;
    for (const auto& [index, problem] : problems_) {
        if (shown++ == kShownMax) break;
        text += fmt::format("\n{}See it again with: {}\n", problem, replay_command(index));
    }
    return text;
}

}  // namespace cli
