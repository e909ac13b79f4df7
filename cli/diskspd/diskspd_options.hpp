// DiskSpd's options for people: --help, -?, the manual, and the table of docs/diskspd.md name the same.
#pragma once

#include <string_view>

namespace cli {

// Lines "SPELLING\tmeaning".
extern const std::string_view kDiskspdOptions;

}  // namespace cli
