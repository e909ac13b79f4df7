// `ioproof run`: from the command line to one run (run.hpp).
#pragma once

#include <cstdint>

#include "cli/command.hpp"
#include "cli/run_arguments.hpp"

namespace cli {

class GroupMember;

Command run_command();

// What the switches ask for: a run, or a verification of what one has left. Throws what keeps it from beginning.
// `group`: of which it is one, or null. `findings`: becomes how many wrong answers there were; may be null.
ExitCode run_on_files(const Call& call, const RunArguments& arguments, GroupMember* group = nullptr, std::uint64_t* findings = nullptr);

}  // namespace cli
