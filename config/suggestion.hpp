// "Did you mean ...?"
#pragma once

#include <string>
#include <string_view>

#include "config/parameter.hpp"

namespace config {

// A helpful sentence about an unknown key or section, or empty: the key belongs to another section, is spelled differently in this dialect,
// or is similar to an existing one.
std::string suggest_key(Section section, std::string_view key, Dialect dialect);
std::string suggest_section(std::string_view name, Dialect dialect);

}  // namespace config
