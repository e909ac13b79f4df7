// `ioproof rehearse --crash`.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "cli/process/console.hpp"
#include "cli/process/exit_codes.hpp"
#include "cli/rehearse/rehearse_arguments.hpp"
#include "sim/rehearsal/crash_tally.hpp"

namespace cli {

// Throws std::bad_alloc if memory runs out.
ExitCode rehearse_crashes(const RehearseArguments& arguments, Console& console);

// A line of the tables: a device that lost power, judged by the files alone, and with a ledger kept elsewhere.
struct CrashRow {
    CrashDevice device;
    sim::CrashTally tally;
    sim::CrashTally with_ledger;
};

class CrashSeries {
public:
    // Both must outlive the series.
    CrashSeries(const RehearseArguments& arguments, Console& console);

    // Throws std::bad_alloc if memory runs out.
    void run();

    [[nodiscard]] std::uint64_t run_count() const { return run_count_; }
    [[nodiscard]] const std::vector<CrashRow>& rows() const { return rows_; }
    // How many runs continued with what a cut had left, and were cut again.
    [[nodiscard]] std::uint64_t resumed_count() const { return resumed_count_; }
    // Cuts with a problem that no percentage excuses: wrong blame, an unexplained miss, a finding while there was power.
    [[nodiscard]] std::uint64_t wrong_count() const { return wrong_count_; }
    // The first problems, in the order of the seeds, with commands that repeat them; empty if there are none.
    [[nodiscard]] std::string first_problems() const;

private:
    [[nodiscard]] std::uint64_t seed_of(std::uint64_t index) const;
    [[nodiscard]] std::size_t row_of(std::uint64_t index) const;
    [[nodiscard]] std::string replay_command(std::uint64_t index) const;
    struct Outcome;
    void rehearse_one(std::uint64_t index);
    void cut_run(const sim::CrashPlan& drawn, Outcome& outcome);
    static void add_text(const sim::CrashPlan& plan, const sim::CutJudgement& judgement, std::string_view knowledge, Outcome& outcome);
    // Judges the cut, and cuts the run again if it is the first that leaves files with which a run can continue.
    void judge(const sim::CrashPlan& plan, sim::CrashState& state, Outcome& outcome);

    const RehearseArguments& arguments_;
    Console& console_;
    std::uint64_t run_count_;
    std::mutex mutex_;  // guards the rest
    std::vector<CrashRow> rows_;
    std::uint64_t wrong_count_ = 0;
    std::uint64_t resumed_count_ = 0;
    std::map<std::uint64_t, std::string> problems_;  // by run
};

}  // namespace cli
