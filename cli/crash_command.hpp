// `ioproof rehearse --crash`.
#pragma once

#include "cli/console.hpp"
#include "cli/exit_codes.hpp"
#include "cli/rehearse_arguments.hpp"

namespace cli {

// Throws std::bad_alloc if memory does not last.
ExitCode rehearse_crashes(const RehearseArguments& arguments, Console& console);

}  // namespace cli
