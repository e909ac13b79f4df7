#include "cli/hosts_command.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <string_view>

#include <fmt/format.h>

#include "cli/side_by_side.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/time.hpp"

namespace cli {
namespace {

constexpr std::size_t kProblemsShown = 10;

class HostsSeries {
public:
    HostsSeries(const RehearseArguments& arguments, Console& console) : arguments_(arguments), console_(console) {
        for (const sim::HandOverFault fault : arguments.hand_over_faults) rows_.push_back({fault, {}});
        run_count_ = arguments.seed_count * (arguments.hand_over_in_turn ? 1 : rows_.size());
    }

    void run() {
        do_side_by_side(arguments_.jobs, run_count_, [this](std::uint64_t index) { rehearse_one(index); });
    }

    [[nodiscard]] std::uint64_t run_count() const { return run_count_; }
    [[nodiscard]] const std::vector<HandOverRow>& rows() const { return rows_; }
    [[nodiscard]] std::string first_problems() const {
        std::string text;
        std::size_t shown = 0;
        for (const auto& [index, problem] : problems_) {
            if (shown++ == kProblemsShown) break;
            text += fmt::format("\n{}Repeat it with: ioproof rehearse --hosts --hand-over {} --seed {} --verbose\n", problem,
                                name_of(rows_[row_of(index)].fault), seed_of(index));
        }
        return text;
    }

private:
    // In turn the fault follows from the seed, not from where the series began.
    [[nodiscard]] std::uint64_t seed_of(std::uint64_t index) const {
        return arguments_.first_seed + (arguments_.hand_over_in_turn ? index : index / rows_.size());
    }
    [[nodiscard]] std::size_t row_of(std::uint64_t index) const {
        return (arguments_.hand_over_in_turn ? seed_of(index) : index) % rows_.size();
    }
    void rehearse_one(std::uint64_t index) {
        const sim::HandOverReport report = sim::rehearse_hand_over(seed_of(index), rows_[row_of(index)].fault);
        const std::lock_guard guard(mutex_);
        rows_[row_of(index)].tally.add(report.tally);
        if (!report.problem.empty()) problems_[index] = report.problem;
        if (arguments_.verbose) console_.add_result(report.text);
    }

    const RehearseArguments& arguments_;
    Console& console_;
    std::uint64_t run_count_;
    std::mutex mutex_;  // guards the rest
    std::vector<HandOverRow> rows_;
    std::map<std::uint64_t, std::string> problems_;  // by run
};

std::string row_text(std::string_view name, const sim::HandOverTally& tally) {
    return fmt::format("{:<12}{:>8}{:>10}{:>10}{:>8}{:>8}{:>8}{:>8}{:>8}\n", name, tally.hand_overs, tally.injected, tally.given,
                       tally.found, tally.named_right, tally.found - tally.named_right, tally.given - tally.found, tally.false_alarms);
}

sim::HandOverTally sum_of(const std::vector<HandOverRow>& rows) {
    sim::HandOverTally sum;
    for (const HandOverRow& row : rows) sum.add(row.tally);
    return sum;
}

}  // namespace

std::string hand_over_table_text(const std::vector<HandOverRow>& rows) {
    std::string text =
        fmt::format("{:<12}{:>8}{:>10}{:>10}{:>8}{:>8}{:>8}{:>8}{:>8}\n", "", "hand-", "", "given to", "", "named", "named", "", "false");
    text += fmt::format("{:<12}{:>8}{:>10}{:>10}{:>8}{:>8}{:>8}{:>8}{:>8}\n", "fault", "overs", "injected", "owner", "found", "right",
                        "wrong", "missed", "alarms");
    for (const HandOverRow& row : rows) text += row_text(name_of(row.fault), row.tally);
    return text + row_text("all", sum_of(rows));
}

ExitCode rehearse_hosts(const RehearseArguments& arguments, Console& console) {
    const ums::RealClock clock;
    const std::uint64_t start_ns = clock.now_ns();
    HostsSeries series(arguments, console);
    series.run();
    const double elapsed_s = static_cast<double>(clock.now_ns() - start_ns) / static_cast<double>(ums::kNsPerSecond);
    console.add_result(hand_over_table_text(series.rows()));
    console.add_result(fmt::format("\nRehearsal of {} series of owners, seeds {} to {}, in {:.1f} s.\n", series.run_count(),
                                   arguments.first_seed, arguments.first_seed + arguments.seed_count - 1, elapsed_s));
    const bool is_good =
        std::all_of(series.rows().begin(), series.rows().end(), [](const HandOverRow& row) { return row.tally.is_good(); });
    if (!is_good) {
        console.add_result(
            "FAILED: what went wrong between the hosts was missed or named wrongly, or something was blamed wrongly. The first:\n" +
            series.first_problems());
        return ExitCode::integrity;
    }
    const bool wanted_faults = std::any_of(series.rows().begin(), series.rows().end(),
                                           [](const HandOverRow& row) { return row.fault != sim::HandOverFault::honest; });
    console.add_result(
        wanted_faults && sum_of(series.rows()).given == 0
            ? "PASSED, but no fault was given to a new owner: that proves nothing. Try more seeds.\n"
            : "PASSED: every fault that was given to a new owner was found and named rightly, and nothing else was reported.\n");
    return ExitCode::ok;
}

}  // namespace cli
