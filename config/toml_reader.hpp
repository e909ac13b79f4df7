// Reads ioproof's TOML files: one table per section ([config], [random_user], ...), files as an array of tables ([[file]]).
#pragma once

#include <string>
#include <string_view>

#include "config/problems.hpp"
#include "config/raw_config.hpp"

namespace config {

// `bytes` is the whole file. Adds structural errors to `problems`. Throws ConfigError for a syntax error, with line and column.
RawConfig read_toml(std::string_view bytes, const std::string& file_name, Problems& problems);

}  // namespace config
