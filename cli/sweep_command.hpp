// `ioproof sweep`: the same measured with ranges of depths, threads, block sizes and mixes.
#pragma once

#include "cli/command.hpp"

namespace cli {

Command sweep_command();

}  // namespace cli
