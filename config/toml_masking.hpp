// Hides from toml++ characters that it cannot handle.
//
// toml++ 3.3 and 3.4 (Debian 12 and 13) have undefined behavior if a character such as an umlaut is where white space may be: outside of a
// string, or after a line-ending backslash in one (is_non_ascii_horizontal_whitespace, fixed upstream after 3.4 by change #305). Anyone's
// configuration may contain one. So every character from U+0080 to U+FFFF is replaced, before parsing, by the one 0x100000 above it, which
// toml++ handles correctly, and restored afterwards. One character stays one character, so that columns stay correct. The range above
// U+100000 is for private use; characters of that range in a file are refused, because they could not be distinguished.
#pragma once

#include <string>
#include <string_view>

namespace config {

// `text` must be UTF-8 without characters of the refused range.
std::string mask_for_toml(std::string_view text);
// Undoes the masking in keys, strings and messages from the parser.
std::string unmask_from_toml(std::string_view text);

// True for UTF-8 without characters of the refused range, either literally or written as \U0010....
bool can_be_masked(std::string_view text);

}  // namespace config
