// All commands, in the order in which the help shows them.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"

namespace cli {

const std::vector<Command>& commands();

// The command that `words` begin with, or nullptr. A name may have two words: "config show".
const Command* find_command(const std::vector<std::string>& words);

}  // namespace cli
