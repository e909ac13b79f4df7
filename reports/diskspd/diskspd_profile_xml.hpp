// A profile as DiskSpd's XML: part of the results, and with -Rpxml a document that -X can read. Pure.
#pragma once

#include <string>

#include "reports/diskspd/diskspd_profile.hpp"
#include "reports/diskspd/diskspd_xml.hpp"

namespace reports {

void add_diskspd_profile(DiskspdXml& xml, const DiskspdProfile& profile);

// Only the element Profile.
std::string diskspd_profile_xml(const DiskspdProfile& profile);

}  // namespace reports
