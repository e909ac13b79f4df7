// `ioproof run`: from the command line to one run (run.hpp).
#pragma once

#include <cstdint>

#include "cli/command.hpp"
#include "cli/run_arguments.hpp"

namespace cli {

class GroupMember;

Command run_command();

// What the switches ask for: a run, or a verification of what a run has left. Throws what prevents it from starting. `group`: of which it
// is a member, or null. `findings`: becomes the number of wrong answers; may be null.
ExitCode run_on_files(const Call& call, const RunArguments& arguments, GroupMember* group = nullptr, std::uint64_t* findings = nullptr);

}  // namespace cli
