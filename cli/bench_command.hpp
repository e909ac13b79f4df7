// `ioproof bench`: from the command line to the figures.
#pragma once

#include "cli/command.hpp"

namespace cli {

Command bench_command();

}  // namespace cli
