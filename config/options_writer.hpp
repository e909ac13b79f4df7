// Writes options as a configuration file: every parameter, in the order of the table. The readers restore the same options.
#pragma once

#include <string>
#include <vector>

#include "config/raw_config.hpp"

namespace config {

// The mark that identifies such a file.
std::string first_line(Dialect dialect);

// Throws ConfigError if a name cannot be written in this dialect: an INI value must be one line, and TOML must be UTF-8.
std::string write_options(sim::Options options, Dialect dialect);

// Every parameter with its value as in an INI file, for display; any name can be shown.
std::vector<RawSection> listed_options(sim::Options options);

}  // namespace config
