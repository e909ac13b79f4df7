// DiskSpd's options as --help, -? and the manual show them; the table in docs/diskspd.md lists the same ones.
#pragma once

#include <string_view>

namespace cli {

// Lines "SPELLING\tmeaning".
extern const std::string_view kDiskspdOptions;

}  // namespace cli
