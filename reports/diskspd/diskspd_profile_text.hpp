// The part of DiskSpd's text that stands before the results: the command line and what it asks for. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/diskspd/diskspd_profile.hpp"

namespace reports {

// From the empty line before "Command Line:" to the empty line behind the last time span. Names are as given: whoever prints it makes
// them fit for a terminal.
std::string diskspd_profile_text(const DiskspdProfile& profile, DiskspdTextStyle style);

// Lines "   90% of IO => [ 0% -  10%) of target", each behind `indent`.
std::string diskspd_distribution_text(const std::vector<DiskspdRange>& ranges, bool is_in_percent, std::string_view indent);

}  // namespace reports
