// The texts of --help and --version. Pure.
#pragma once

#include <span>
#include <string>

#include "cli/switches.hpp"

namespace cli {

std::string help_text();
std::string run_help_text();
std::string config_help_text();
std::string sqliosim_help_text();  // when called as sqliosim
std::string version_text();

// "Switches:" and an entry for each, --help last.
std::string switch_table(std::span<const Switch> switches);

}  // namespace cli
