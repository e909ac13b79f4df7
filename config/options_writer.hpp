// Options as a configuration file, every parameter in the order of the table; the readers give the same options back.
#pragma once

#include <string>
#include <vector>

#include "config/raw_config.hpp"

namespace config {

// The mark by which such a file is recognised.
std::string first_line(Dialect dialect);

// Throws ConfigError if a name cannot be written in this dialect: INI values are one line, TOML is UTF-8.
std::string write_options(sim::Options options, Dialect dialect);

// Every parameter with its value as in an INI file, for display; any name can be in it.
std::vector<RawSection> listed_options(sim::Options options);

}  // namespace config
