// `ioproof run`: wires configuration, storage, simulation and reports together, and says with an exit code how it ended.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/console.hpp"
#include "cli/exit_codes.hpp"
#include "sim/results.hpp"

namespace cli {

// Runs to the end; the report is in the console's queue then. Throws what keeps a run from beginning: config::ConfigError,
// sim::RefusedError, sim::EnvironmentError. `command_line` is what was typed, for the command that repeats the run.
ExitCode run_command(const std::vector<std::string>& command_line, const Arguments& arguments, Console& console);

// How a run that ended tells its caller. Pure.
ExitCode exit_code_of(const sim::Results& results);

}  // namespace cli
