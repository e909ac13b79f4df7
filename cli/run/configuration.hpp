// Makes the configuration of a run from its switches.
#pragma once

#include <optional>
#include <string>

#include "cli/run/run_arguments.hpp"
#include "config/config.hpp"
#include "ums/base/machine.hpp"

namespace cli {

// The file to read: the one named by a switch, or SQLIOSim's default name if it exists in the current folder.
std::optional<std::string> configuration_file(const RunArguments& arguments);

// Defaults, file, and switches, checked. Throws config::ConfigError.
config::Configuration effective_configuration(const RunArguments& arguments, const ums::Machine& machine);

}  // namespace cli
