// UTF-8, one code point at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ums {

void append_utf8(std::string& out, std::uint32_t code);

// Removes the first code point of `rest`, which must not be empty, and returns it. Returns nothing, and removes nothing, if the bytes are
// not valid UTF-8 (surrogates and overlong forms are not).
std::optional<std::uint32_t> take_code_point(std::string_view& rest);

bool is_utf8(std::string_view text);

// A byte within a code point, after its first.
constexpr bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

}  // namespace ums
