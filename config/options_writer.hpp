// Options as a configuration file, every parameter in the order of the table; the readers give the same options back.
#pragma once

#include <string>

#include "config/parameter.hpp"

namespace config {

// Throws ConfigError if a name cannot be written in this dialect: INI values are one line, TOML is UTF-8.
std::string write_options(sim::Options options, Dialect dialect);

}  // namespace config
