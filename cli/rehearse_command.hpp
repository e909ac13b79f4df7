// `ioproof rehearse`: many rehearsals side by side, and what they show.
#pragma once

#include "cli/console.hpp"
#include "cli/exit_codes.hpp"
#include "cli/rehearse_arguments.hpp"

namespace cli {

[[nodiscard]] ExitCode rehearse_command(const RehearseArguments& arguments, Console& console);

}  // namespace cli
