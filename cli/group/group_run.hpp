// `ioproof run --group`: one run side by side with others, or the turns of a hand-over, one after the other.
#pragma once

#include "cli/command.hpp"
#include "cli/run_arguments.hpp"

namespace cli {

[[nodiscard]] ExitCode run_in_group(const Call& call, const RunArguments& arguments);

}  // namespace cli
