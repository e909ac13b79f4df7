// "Did you mean ...?"
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "config/parameter.hpp"

namespace config {

// Whether a name at this edit distance may be what was meant: up to a third of the word may be wrong; with more, it would be a guess.
bool is_near(std::size_t distance, std::string_view word);

// A helpful sentence about an unknown key or section, or empty. The key may belong to another section, be spelled differently in this
// dialect, or resemble an existing one.
std::string suggest_key(Section section, std::string_view key, Dialect dialect);
std::string suggest_section(std::string_view name, Dialect dialect);

}  // namespace config
