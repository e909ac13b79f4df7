#include "cli/rehearse/crash_command.hpp"

#include <optional>
#include <string>

#include <fmt/format.h>

#include "cli/rehearse/rehearsal_text.hpp"
#include "cli/rehearse/side_by_side.hpp"
#include "reports/text.hpp"
#include "sim/errors.hpp"
#include "sim/rehearsal/crash_rehearsal.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/units.hpp"

namespace cli {

ExitCode rehearse_crashes(const RehearseArguments& arguments, Console& console) {
    const ums::RealClock clock;
    const std::uint64_t start_ns = clock.now_ns();
    CrashSeries series(arguments, console);
    series.run();
    const double elapsed_s = static_cast<double>(clock.now_ns() - start_ns) / static_cast<double>(ums::kNsPerSecond);
    console.add_result(crash_table_text(series.rows()));
    console.add_result(fmt::format("\nRehearsal of {} with {} each, {} of the runs resumed and cut again, seeds {} to {}, in {:.1f} s.\n",
                                   reports::counted(series.run_count(), "run"), reports::counted(arguments.cuts, "power cut"),
                                   series.resumed_count(), arguments.first_seed, arguments.first_seed + arguments.seed_count - 1,
                                   elapsed_s));
    const CrashJudgement judgement = judge_crashes(series.rows(), series.wrong_count());
    console.add_result(judgement.sentence);
    const std::string problems = series.first_problems();
    if (!problems.empty()) console.add_result("The first problems:\n" + problems);
    return judgement.is_good ? ExitCode::ok : ExitCode::integrity;
}

CrashSeries::CrashSeries(const RehearseArguments& arguments, Console& console) : arguments_(arguments), console_(console) {
    for (const CrashDevice& device : arguments.devices) rows_.push_back({device, {}, {}});
    run_count_ = arguments.seed_count * (arguments.devices_in_turn ? 1 : rows_.size());
}

void CrashSeries::run() {
    do_side_by_side(arguments_.jobs, run_count_, [this](std::uint64_t index) { rehearse_one(index); });
}

// With devices in turn, the seed alone determines the device, so that a seed can be repeated by itself.
std::uint64_t CrashSeries::seed_of(std::uint64_t index) const {
    return arguments_.first_seed + (arguments_.devices_in_turn ? index : index / rows_.size());
}

std::size_t CrashSeries::row_of(std::uint64_t index) const { return (arguments_.devices_in_turn ? seed_of(index) : index) % rows_.size(); }

std::string CrashSeries::replay_command(std::uint64_t index) const {
    return fmt::format("ioproof rehearse --crash --lie {} --cuts {} --seed {} --verbose", name_of(rows_[row_of(index)].device),
                       arguments_.cuts, seed_of(index));
}

// The outcome of one seed.
struct CrashSeries::Outcome {
    sim::CrashTally tally;
    sim::CrashTally with_ledger;
    std::string text;
    std::string problems;
    std::uint64_t wrong = 0;
    bool is_resumed = false;

    void add_problem(std::string_view problem) {
        problems += fmt::format("{}\n", problem);
        ++wrong;
    }
};

void CrashSeries::add_text(const sim::CrashPlan& plan, const sim::CutJudgement& judgement, std::string_view knowledge, Outcome& outcome) {
    outcome.text += fmt::format("{}{}: {}\n", plan.start ? "resumed, " : "", knowledge, judgement.text);
    if (judgement.problem.empty()) return;
    outcome.problems += fmt::format("{}: {}\n  {}\n", knowledge, judgement.text, judgement.problem);
    const bool is_miss = judgement.tally.found < judgement.tally.provable;
    if (!is_miss) ++outcome.wrong;
}

void CrashSeries::judge(const sim::CrashPlan& plan, sim::CrashState& state, Outcome& outcome) {
    const bool may_go_on = !outcome.is_resumed && !plan.start;
    std::optional<sim::CrashPlan> second;
    if (may_go_on) second = sim::plan_second_cut(plan, state);
    const sim::CutJudgement with_ledger = sim::judge_cut(plan, state, sim::Knowledge::files_and_ledger);
    const sim::CutJudgement by_files = sim::judge_cut(plan, state);
    outcome.tally.add(by_files.tally);
    outcome.with_ledger.add(with_ledger.tally);
    add_text(plan, by_files, "by the files", outcome);
    add_text(plan, with_ledger, "with the ledger", outcome);
    // A run continues only with files that are what log and ledger prove.
    const bool is_sound = by_files.problem.empty() && with_ledger.problem.empty() && by_files.is_intact && with_ledger.is_intact;
    if (!second || !is_sound) return;
    outcome.is_resumed = true;
    cut_run(*second, outcome);
}

void CrashSeries::cut_run(const sim::CrashPlan& drawn, Outcome& outcome) {
    const std::string_view run = drawn.start ? "resumed run" : "run";
    sim::CrashReport report;
    try {
        report = sim::rehearse_crash(drawn, [&](const sim::CrashPlan& plan, sim::CrashState& state) { judge(plan, state, outcome); });
    } catch (const sim::RefusedError& error) {
        outcome.add_problem(fmt::format("seed {}: the {} was refused: {}", drawn.seed, run, error.what()));
        return;
    } catch (const sim::EnvironmentError& error) {
        outcome.add_problem(fmt::format("seed {}: the {} could not begin: {}", drawn.seed, run, error.what()));
        return;
    }
    for (const std::string& problem : report.problems) {
        outcome.add_problem(fmt::format("seed {}: while the {} had power: {}", drawn.seed, run, problem));
    }
}

void CrashSeries::rehearse_one(std::uint64_t index) {
    const CrashDevice device = arguments_.devices[row_of(index)];
    ums::PowerLies lies;
    if (device.lie) lies.add(*device.lie);
    sim::CrashPlan drawn = sim::draw_crash_plan(seed_of(index), lies);
    drawn.cut_count = arguments_.cuts;
    drawn.has_ledger = true;
    Outcome outcome;
    outcome.text = fmt::format("--- seed {}, {}\n", drawn.seed, name_of(device));
    cut_run(drawn, outcome);
    const std::lock_guard guard(mutex_);
    rows_[row_of(index)].tally.add(outcome.tally);
    rows_[row_of(index)].with_ledger.add(outcome.with_ledger);
    wrong_count_ += outcome.wrong;
    resumed_count_ += outcome.is_resumed ? 1 : 0;
    if (!outcome.problems.empty()) problems_[index] = outcome.problems;
    if (arguments_.verbose) console_.add_result(outcome.text);
}

std::string CrashSeries::first_problems() const {
    return problems_text(problems_, [this](std::uint64_t index) { return replay_command(index); });
}

}  // namespace cli
