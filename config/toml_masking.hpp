// Keeps characters away from toml++ that it cannot handle.
//
// toml++ 3.3 and 3.4 (Debian 12 and 13) run into undefined behaviour when a character such as an umlaut stands where white space might:
// outside of a string, or behind a line-ending backslash in one (is_non_ascii_horizontal_whitespace, repaired upstream after 3.4 by change
// #305). Any person's configuration may have one. So, before parsing, every character from U+0080 to U+FFFF is replaced by the one 0x100000
// above it, which toml++ handles well; afterwards it is put back. One character stays one, so that columns stay right. The range above
// U+100000 is for private use, and nobody uses it; it is refused, because it could not be distinguished.
#pragma once

#include <string>
#include <string_view>

namespace config {

// `text` must be UTF-8 without characters of the refused range.
std::string mask_for_toml(std::string_view text);
// Undoes it, in keys, strings and messages that come out of the parser.
std::string unmask_from_toml(std::string_view text);

// True for UTF-8 that has no character of the refused range, neither itself nor written as \U0010....
bool can_be_masked(std::string_view text);

}  // namespace config
