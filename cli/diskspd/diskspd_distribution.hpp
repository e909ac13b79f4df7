// The value of DiskSpd's -rd. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "reports/diskspd/diskspd_profile.hpp"

namespace cli {

struct DiskspdDistribution {
    std::vector<reports::DiskspdRange> ranges;
    bool is_in_percent = false;
};

// "pct90/10:0/10:5/20", "abs90/10G". `option`: the whole word, for the message. Throws UsageError. Sums are checked with the profile.
DiskspdDistribution parse_diskspd_distribution(std::string_view text, std::string_view option, std::uint32_t block_bytes);

}  // namespace cli
