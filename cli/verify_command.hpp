// `ioproof verify`: what has survived of a run after a crash.
#pragma once

#include "cli/command.hpp"
#include "cli/run_arguments.hpp"

namespace cli {

// `words`: what follows "verify". Throws UsageError.
RunArguments parse_verify(const std::vector<std::string>& words);

Command verify_command();

}  // namespace cli
