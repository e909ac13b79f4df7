// Options as a configuration file, every parameter in the order of the table; the readers give the same options back.
#pragma once

#include <string>
#include <vector>

#include "config/raw_config.hpp"

namespace config {

// By which such a file is known.
std::string first_line(Dialect dialect);

// Throws ConfigError if a name cannot be written in this dialect: INI values are one line, TOML is UTF-8.
std::string write_options(sim::Options options, Dialect dialect);

// Every parameter with its value as an INI file has it, for whoever shows them; any name can be in it.
std::vector<RawSection> listed_options(sim::Options options);

}  // namespace config
