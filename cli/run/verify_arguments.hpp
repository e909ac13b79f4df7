// The command line of `ioproof verify`: the switches of a run that say which files, and how to report on them.
#pragma once

#include <string>
#include <vector>

#include "cli/run/run_arguments.hpp"
#include "cli/words/switches.hpp"

namespace cli {

// `words`: what follows "verify". Throws UsageError.
RunArguments parse_verify(const std::vector<std::string>& words);

Switches verify_switches();

}  // namespace cli
