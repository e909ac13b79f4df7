// "Did you mean ...?"
#pragma once

#include <string>
#include <string_view>

#include "config/parameter.hpp"

namespace config {

// A helpful sentence about an unknown key or section, or empty. The key may belong to another section, be spelled differently in this
// dialect, or resemble an existing one.
std::string suggest_key(Section section, std::string_view key, Dialect dialect);
std::string suggest_section(std::string_view name, Dialect dialect);

}  // namespace config
