#include "cli/crash_text.hpp"

#include <fmt/format.h>

namespace cli {
namespace {

std::uint64_t unexplained_of(const sim::CrashTally& tally) {
    return tally.unproven.at(static_cast<std::size_t>(sim::MissReason::unexplained));
}

bool is_enough(const sim::CrashTally& tally) { return tally.found * 100 >= tally.provable * 99; }

sim::CrashTally sum_of(const std::vector<CrashRow>& rows) {
    sim::CrashTally sum;
    for (const CrashRow& row : rows) sum.add(row.tally);
    return sum;
}

std::string row_text(std::string_view name, const sim::CrashTally& tally) {
    return fmt::format("{:<18}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}\n", name, tally.cuts, tally.damaged, tally.provable, tally.found,
                       tally.provable - tally.found, tally.blamed);
}

std::string rules_text(const CrashRow& row) {
    std::string text;
    for (std::size_t i = 0; i < row.tally.unproven.size(); ++i) {
        if (row.tally.unproven[i] == 0) continue;
        text += fmt::format("{:<18}{:>10}  {}\n", name_of(row.device), row.tally.unproven[i], name_of(static_cast<sim::MissReason>(i)));
    }
    return text;
}

}  // namespace

std::string crash_table_text(const std::vector<CrashRow>& rows) {
    std::string text = fmt::format("{:<18}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}\n", "", "", "", "", "", "", "blamed");
    text +=
        fmt::format("{:<18}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}\n", "device", "cuts", "damaged", "provable", "found", "missed", "wrongly");
    std::string rules;
    for (const CrashRow& row : rows) {
        text += row_text(name_of(row.device), row.tally);
        rules += rules_text(row);
    }
    text += row_text("all", sum_of(rows));
    if (!rules.empty()) text += fmt::format("\nDamage that the files cannot prove, and the rule that says why\n{}", rules);
    return text;
}

CrashJudgement judge_crashes(const std::vector<CrashRow>& rows, std::uint64_t wrong_count) {
    const sim::CrashTally sum = sum_of(rows);
    if (sum.blamed > 0)
        return {false, fmt::format("FAILED: after {} cuts the device was blamed, and the files prove nothing.\n", sum.blamed)};
    if (unexplained_of(sum) > 0) {
        return {false, fmt::format("FAILED: after {} cuts no rule says why the damage is not provable.\n", unexplained_of(sum))};
    }
    for (const CrashRow& row : rows) {
        if (is_enough(row.tally)) continue;
        return {false, fmt::format("FAILED: of {} cuts with provable damage on the device '{}' {} were found, 99 % are wanted.\n",
                                   row.tally.provable, name_of(row.device), row.tally.found)};
    }
    if (wrong_count > 0) return {false, fmt::format("FAILED: {} results contradict each other.\n", wrong_count)};
    if (sum.damaged == 0) return {true, "PASSED: nobody was blamed. No cut lost anything that was promised, so nothing could be found.\n"};
    return {true, fmt::format("PASSED: of {} cuts that lost something promised {} can be proven by the files, and {} of these were found; "
                              "nobody was blamed wrongly, and each of the others has its rule.\n",
                              sum.damaged, sum.provable, sum.found)};
}

}  // namespace cli
