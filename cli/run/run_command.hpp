// Makes a run (run.hpp) from its switches: alone, or as a member of a group.
#pragma once

#include <cstdint>

#include "cli/run/run_arguments.hpp"
#include "cli/words/commands.hpp"

namespace cli {

class GroupMember;

// Executes what the switches request: a run, or a verification of what a run has left. Throws what prevents it from starting. `group`: the
// membership, or null. `findings`: receives the number of wrong answers; may be null.
ExitCode run_on_files(const Call& call, const RunArguments& arguments, GroupMember* group = nullptr, std::uint64_t* findings = nullptr);

// `--group` (group_run.cpp): one run side by side with others, or the turns of a hand-over one after the other.
[[nodiscard]] ExitCode run_in_group(const Call& call, const RunArguments& arguments);

}  // namespace cli
