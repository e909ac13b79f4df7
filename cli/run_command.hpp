// From the switches of a run to the run (run.hpp): alone, or as a member of a group.
#pragma once

#include <cstdint>

#include "cli/commands.hpp"
#include "cli/run_arguments.hpp"

namespace cli {

class GroupMember;

// What the switches ask for: a run, or a verification of what a run has left. Throws what prevents it from starting. `group`: of which it
// is a member, or null. `findings`: becomes the number of wrong answers; may be null.
ExitCode run_on_files(const Call& call, const RunArguments& arguments, GroupMember* group = nullptr, std::uint64_t* findings = nullptr);

// `--group` (group/group_run.cpp): one run side by side with others, or the turns of a hand-over, one after the other.
[[nodiscard]] ExitCode run_in_group(const Call& call, const RunArguments& arguments);

}  // namespace cli
