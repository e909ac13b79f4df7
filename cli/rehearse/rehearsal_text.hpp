// The results of a rehearsal as text of 80 columns. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cli/rehearse/crash_command.hpp"
#include "sim/rehearsal/fault_matching.hpp"

namespace cli {

// A line for each fault class that was injected or reported, and their sum.
[[nodiscard]] std::string tallies_text(const sim::FaultTallies& tallies);

// Two tables, by the files alone and with a ledger: a line for each device, and below it the damage that cannot be proven, with the rule
// that says why.
[[nodiscard]] std::string crash_table_text(const std::vector<CrashRow>& rows);

struct CrashJudgement {
    bool is_good = false;
    std::string sentence;  // ends with a line break
};

// Good: in each row all provable damage was found, nothing was blamed wrongly, and a rule explains each miss; and `wrong_count` is 0.
[[nodiscard]] CrashJudgement judge_crashes(const std::vector<CrashRow>& rows, std::uint64_t wrong_count);

// The first problems, in the order of the runs, with the commands that repeat them; empty if there are none. `problems`: by run, each ends
// with a line break.
[[nodiscard]] std::string problems_text(const std::map<std::uint64_t, std::string>& problems,
                                        const std::function<std::string(std::uint64_t run)>& replay_command);

}  // namespace cli
