// What is wrong with a configuration or a switch, in words for the person who wrote it.
#pragma once

#include <stdexcept>

namespace config {

// what() is one or more lines, one per error, each with the place (file, line, TOML also column; or the switch), the key, the value and
// what is allowed. The command line prints it and exits with 2.
class ConfigError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace config
