// The distance between two words, for "did you mean ...?".
#pragma once

#include <cstddef>
#include <string_view>

namespace ums {

// Number of characters to insert, delete or replace (Levenshtein), ignoring ASCII case. Time grows with the product of the lengths: limit
// the length of untrusted input.
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace ums
