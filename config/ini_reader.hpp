// Reads SQLIOSim's INI files as they are found.
//
// Lines end in LF, CRLF or CR. A line whose first character is ; or # is a comment; there are no comments behind a value (a file name may
// contain both characters). Blanks around section names, keys and values do not count. A value in matching quotes loses them, as Windows
// does it. Everything else about a value is decided by load_options.
#pragma once

#include <string>
#include <string_view>

#include "config/problems.hpp"
#include "config/raw_config.hpp"

namespace config {

// `bytes` is the whole file. Adds an error to `problems` for every line that cannot be understood. Throws ConfigError if it is no
// text, or more than a configuration may hold.
RawConfig read_ini(std::string_view bytes, const std::string& file_name, Problems& problems);

}  // namespace config
