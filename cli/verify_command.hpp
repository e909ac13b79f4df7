// `ioproof verify`: what of a run has survived a crash.
#pragma once

#include "cli/command.hpp"
#include "cli/run_arguments.hpp"

namespace cli {

// `words`: what stands behind "verify". Throws UsageError.
RunArguments parse_verify(const std::vector<std::string>& words);

Command verify_command();

}  // namespace cli
