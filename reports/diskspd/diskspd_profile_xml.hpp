// A profile as DiskSpd's XML has it: part of the results, and with -Rpxml a document that -X reads again. Pure.
#pragma once

#include <string>

#include "reports/diskspd/diskspd_profile.hpp"
#include "reports/diskspd/diskspd_xml.hpp"

namespace reports {

void add_diskspd_profile(DiskspdXml& xml, const DiskspdProfile& profile);

// The element Profile alone.
std::string diskspd_profile_xml(const DiskspdProfile& profile);

}  // namespace reports
