// Checks the text of a TOML file before the parser reads it: the parser recurses for each level of nesting, and so does freeing its result,
// so a line of some thousand dots or brackets would end the process.
#pragma once

#include <string>
#include <string_view>

namespace config {

// Throws ConfigError, with the line, for text whose nesting, length of lines, or number of keys and tables no configuration needs.
void refuse_excessive_toml(std::string_view text, const std::string& file_name);

}  // namespace config
