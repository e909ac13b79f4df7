// Converts the bytes of a text file to UTF-8: Windows writes configuration files with a byte order mark, some of them in UTF-16.
#pragma once

#include <string>
#include <string_view>

namespace config {

// Removes a UTF-8 byte order mark, and converts UTF-16 of either byte order with a mark. Returns text without a mark unchanged, in whatever
// 8-bit encoding it may be, because file names on Linux are bytes. Throws ConfigError, beginning with `file_name`, for broken UTF-16 and
// for text with zero bytes (UTF-16 without a mark, or not text at all).
std::string decode_text(std::string_view bytes, const std::string& file_name);

}  // namespace config
