// Where a file name leads when the symbolic links on its way are followed.
#pragma once

#include <string>
#include <system_error>

namespace ums {

// See Storage::resolve().
[[nodiscard]] std::error_code resolve_name(const std::string& path, std::string& resolved);

}  // namespace ums
