// `ioproof run`: from the command line to one run (run.hpp).
#pragma once

#include "cli/command.hpp"
#include "cli/run_arguments.hpp"

namespace cli {

Command run_command();

// What the switches ask for: a run, or a verification of what one has left. Throws what keeps it from beginning.
ExitCode run_on_files(const Call& call, const RunArguments& arguments);

}  // namespace cli
