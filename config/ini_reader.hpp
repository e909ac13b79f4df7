// Reads SQLIOSim's INI files unchanged.
//
// Lines end in LF, CRLF or CR. A line whose first character is ; or # is a comment, and one may follow a section's bracket; values cannot
// be followed by comments, because a file name may contain both characters. Blanks around section names, keys and values are ignored. A
// value in matching quotes loses them, as on Windows. load_options decides everything else about values.
#pragma once

#include <string>
#include <string_view>

#include "config/problems.hpp"
#include "config/raw_config.hpp"

namespace config {

// `bytes` is the whole file. Adds an error to `problems` for every line that it does not understand. Throws ConfigError if the file is not
// text, or holds more than a configuration may.
RawConfig read_ini(std::string_view bytes, const std::string& file_name, Problems& problems);

}  // namespace config
