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

// Gives requests that have no part of the target the rest of it, as DiskSpd does: a part of its own, in results and profiles, too. Without
// effect if no requests or no target are left.
void add_rest_of_target(DiskspdDistribution& distribution);

// "pct90/10:0/10:5/20", "abs90/10G". `option`: the whole word, for the message. Throws UsageError. Sums are checked with the profile.
// Includes the rest of the target.
DiskspdDistribution parse_diskspd_distribution(std::string_view text, std::string_view option, std::uint32_t block_bytes);

}  // namespace cli
