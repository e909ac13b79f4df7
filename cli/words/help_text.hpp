// The texts of --help and --version, from the table of commands. Pure.
#pragma once

#include <string>
#include <string_view>

#include "cli/words/commands.hpp"

namespace cli {

// The exit codes of a run and of most commands, as lines "CODE meaning".
extern const std::string_view kExitCodes;

std::string help_text();
std::string help_text(const Command& command);
// The help of all commands whose names begin with this word, such as "config"; empty if there is none.
std::string help_text_of_group(std::string_view first_word);
// The help of `run` in SQLIOSim's terms, for calls as sqliosim.
std::string sqliosim_help_text();
std::string version_text();

}  // namespace cli
