// The part of DiskSpd's text that precedes the results: the command line and what it requests. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/diskspd/diskspd_profile.hpp"

namespace reports {

// From the empty line before "Command Line:" to the empty line after the last time span. Names are unchanged: the caller must make them
// safe for a terminal.
std::string diskspd_profile_text(const DiskspdProfile& profile, DiskspdTextStyle style);

// Lines "   90% of IO => [ 0% -  10%) of target", each after `indent`. `shows_holes`: also for parts without requests, as in the profile.
std::string diskspd_distribution_text(const std::vector<DiskspdRange>& ranges, bool is_in_percent, std::string_view indent,
                                      bool shows_holes = true);

}  // namespace reports
