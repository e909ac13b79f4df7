// The texts of --help and --version. Pure.
#pragma once

#include <string>

namespace cli {

std::string help_text();
std::string run_help_text();
std::string config_help_text();
std::string sqliosim_help_text();  // when called as sqliosim
std::string version_text();

}  // namespace cli
