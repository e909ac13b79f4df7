// A profile of DiskSpd's -X, from the text of its file. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/diskspd/diskspd_profile.hpp"

namespace cli {

struct ReadProfile {
    reports::DiskspdProfile profile;
    std::vector<std::string> notices;  // a line each: what is accepted, but has no effect on Linux
};

// Throws UsageError: "FILE: line 7: …". An element that DiskSpd does not know is refused, too, as DiskSpd does. A results document is
// accepted as well: the profile in it. `name`: of the file, for messages.
ReadProfile read_diskspd_profile(std::string_view document, const std::string& name);

}  // namespace cli
