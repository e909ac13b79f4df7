// The distance between two words, for "did you mean ...?".
#pragma once

#include <cstddef>
#include <string_view>

namespace ums {

// Number of characters to insert, delete or replace (Levenshtein), upper and lower case of ASCII being the same. Takes time and memory in
// proportion to the lengths: bound what comes from outside.
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace ums
