// The texts of --help and --version, from the table of commands. Pure.
#pragma once

#include <string>
#include <string_view>

#include "cli/commands.hpp"

namespace cli {

// What a run's exit codes mean; lines "CODE meaning". Those of most commands.
extern const std::string_view kExitCodes;

std::string help_text();
std::string help_text(const Command& command);
// Of the commands whose names begin with this word, as "config"; empty if there is none.
std::string help_text_of_group(std::string_view first_word);
// When called as sqliosim: that of `run`, in SQLIOSim's words.
std::string sqliosim_help_text();
std::string version_text();

}  // namespace cli
