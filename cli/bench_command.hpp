// `ioproof bench`: from the command line to the figures.
#pragma once

#include "cli/bench_arguments.hpp"
#include "cli/console.hpp"
#include "cli/exit_codes.hpp"

namespace cli {

// Blocks until the measurement is over. Throws sim::RefusedError and sim::EnvironmentError.
ExitCode bench_command(const BenchArguments& arguments, Console& console);

}  // namespace cli
