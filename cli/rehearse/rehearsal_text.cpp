#include "cli/rehearse/rehearsal_text.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "reports/text.hpp"
#include "reports/text_report.hpp"

namespace cli {
namespace {

std::string line_of(std::string_view name, const sim::FaultTally& tally) {
    return fmt::format("{:<18}{:>9}{:>9}{:>9}{:>9}{:>9}{:>8}{:>8}\n", name, tally.injected, tally.exposed, tally.detected,
                       tally.classified_right, tally.classified_wrong, tally.missed, tally.false_alarms);
}

std::uint64_t unexplained_of(const sim::CrashTally& tally) {
    return tally.unproven.at(static_cast<std::size_t>(sim::MissReason::unexplained));
}

using Judged = sim::CrashTally CrashRow::*;

sim::CrashTally sum_of(const std::vector<CrashRow>& rows, Judged judged) {
    sim::CrashTally sum;
    for (const CrashRow& row : rows) sum.add(row.*judged);
    return sum;
}

std::string row_text(std::string_view name, const sim::CrashTally& tally) {
    return fmt::format("{:<18}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}\n", name, tally.cuts, tally.damaged, tally.provable, tally.found,
                       tally.provable - tally.found, tally.blamed);
}

std::string rules_text(const CrashRow& row, Judged judged) {
    const auto& unproven = (row.*judged).unproven;
    std::string text;
    for (std::size_t i = 0; i < unproven.size(); ++i) {
        if (unproven[i] == 0) continue;
        text += fmt::format("{:<18}{:>10}  {}\n", name_of(row.device), unproven[i], name_of(static_cast<sim::MissReason>(i)));
    }
    return text;
}

std::string table_text(const std::vector<CrashRow>& rows, Judged judged, std::string_view knowledge) {
    std::string text = fmt::format("{:<18}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}\n", knowledge, "", "", "", "", "", "blamed");
    text +=
        fmt::format("{:<18}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}\n", "device", "cuts", "damaged", "provable", "found", "missed", "wrongly");
    std::string rules;
    for (const CrashRow& row : rows) {
        text += row_text(name_of(row.device), row.*judged);
        rules += rules_text(row, judged);
    }
    text += row_text("all", sum_of(rows, judged));
    if (!rules.empty()) text += fmt::format("\nDamage that cannot be proven, and the rule that says why\n{}", rules);
    return text;
}

// Empty: nothing is wrong.
std::string failure_of(const std::vector<CrashRow>& rows, Judged judged, std::string_view knowledge) {
    const sim::CrashTally sum = sum_of(rows, judged);
    if (sum.blamed > 0) {
        return fmt::format("FAILED: after {} cuts the device was blamed {}, although nothing proves anything against it.\n", sum.blamed,
                           knowledge);
    }
    if (unexplained_of(sum) > 0) {
        return fmt::format("FAILED: after {} cuts no rule says why the damage is not provable {}.\n", unexplained_of(sum), knowledge);
    }
    for (const CrashRow& row : rows) {
        const sim::CrashTally& tally = row.*judged;
        if (tally.found == tally.provable) continue;
        return fmt::format("FAILED: of {} cuts with damage that is provable {} on the device '{}', only {} were found.\n", tally.provable,
                           knowledge, name_of(row.device), tally.found);
    }
    return {};
}

}  // namespace

std::string tallies_text(const sim::FaultTallies& tallies) {
    std::string text = fmt::format("{:<18}{:>9}{:>9}{:>9}{:>9}{:>9}{:>8}{:>8}\n", "", "", "given to", "", "named", "named", "", "false");
    text += fmt::format("{:<18}{:>9}{:>9}{:>9}{:>9}{:>9}{:>8}{:>8}\n", "class", "injected", "program", "detected", "right", "wrong",
                        "missed", "alarms");
    sim::FaultTallies sum{};
    for (std::size_t i = 0; i < tallies.size(); ++i) {
        const sim::FaultTally& tally = tallies[i];
        if (tally.injected + tally.false_alarms == 0) continue;
        text += line_of(name_of(static_cast<sim::FindingKind>(i)), tally);
        sim::FaultTallies one{};
        one[0] = tally;
        add_tallies(sum, one);
    }
    return text + line_of("all", sum[0]);
}

std::string crash_table_text(const std::vector<CrashRow>& rows) {
    return table_text(rows, &CrashRow::tally, "by the files") + "\n" + table_text(rows, &CrashRow::with_ledger, "with a ledger");
}

CrashJudgement judge_crashes(const std::vector<CrashRow>& rows, std::uint64_t wrong_count) {
    for (const auto& [judged, knowledge] :
         {std::pair(&CrashRow::tally, "by the files"), std::pair(&CrashRow::with_ledger, "with the ledger")}) {
        std::string failure = failure_of(rows, judged, knowledge);
        if (!failure.empty()) return {false, std::move(failure)};
    }
    if (wrong_count > 0) return {false, fmt::format("FAILED: {} results contradict each other.\n", wrong_count)};
    const sim::CrashTally files = sum_of(rows, &CrashRow::tally);
    const sim::CrashTally ledger = sum_of(rows, &CrashRow::with_ledger);
    if (files.damaged == 0)
        return {true, "PASSED: nobody was blamed. No cut lost anything that was promised, so nothing could be found.\n"};
    return {
        true,
        reports::wrapped(
            fmt::format(
                "PASSED: of {} cuts that lost something acknowledged {} can be proven by the files, and {} of these were found; with a "
                "ledger {}, and {} were found. Nobody was blamed wrongly, and for each of the others a rule says why it is not provable.",
                files.damaged, files.provable, files.found, ledger.provable, ledger.found),
            reports::kReportColumns, 0) +
            "\n"};
}

std::string problems_text(const std::map<std::uint64_t, std::string>& problems,
                          const std::function<std::string(std::uint64_t run)>& replay_command) {
    constexpr std::size_t kShownMax = 10;
    std::string text;
    std::size_t shown = 0;
    for (const auto& [run, problem] : problems) {
        if (shown++ == kShownMax) break;
        text += fmt::format("\n{}Repeat it with: {}\n", problem, replay_command(run));
    }
    return text;
}

}  // namespace cli
