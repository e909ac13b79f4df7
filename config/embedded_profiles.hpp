// The texts of the profiles, which the build embeds into the program (cmake/embedded_files.cmake).
#pragma once

#include <string_view>

namespace config::embedded {

extern const std::string_view kProfileSql2005;
extern const std::string_view kProfileOltp;
extern const std::string_view kProfileWarehouse;
extern const std::string_view kProfileMixed;

}  // namespace config::embedded
