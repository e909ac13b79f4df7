// The value of DiskSpd's -a. Pure.
#pragma once

#include <string_view>

#include "cli/diskspd/diskspd_arguments.hpp"

namespace cli {

// "", "g", "0,1", "g0,0,1,g1,0", "0-3", "g1", "c", "s", "p", "P", "e", "E", "up". `option`: the whole word, for the message. Throws
// UsageError.
void parse_diskspd_affinity(std::string_view text, std::string_view option, DiskspdArguments& arguments, reports::DiskspdTimeSpan& span);

}  // namespace cli
