// Reads the profile of DiskSpd's -X from the text of its file. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/diskspd/diskspd_profile.hpp"

namespace cli {

struct ReadProfile {
    reports::DiskspdProfile profile;
    std::vector<std::string> notices;  // one line each: what is accepted, but has no effect on Linux
};

// Throws UsageError: "FILE: line 7: …". Refuses elements that DiskSpd does not know, as DiskSpd does. Also accepts a results document, and
// reads the profile in it. `document`: UTF-8, or UTF-16 with a byte order mark. `name`: the file's, for messages.
ReadProfile read_diskspd_profile(std::string_view document, const std::string& name);

}  // namespace cli
