// "Did you mean ...?"
#pragma once

#include <string>
#include <string_view>

#include "config/parameter.hpp"

namespace config {

// A sentence about an unknown key or section that helps on, or empty: the key belongs to another section, is spelled otherwise in this
// dialect, or is nearly one that exists.
std::string suggest_key(Section section, std::string_view key, Dialect dialect);
std::string suggest_section(std::string_view name, Dialect dialect);

}  // namespace config
