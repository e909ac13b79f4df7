// Results in the shape of DiskSpd's text: the lines, columns and order that people and scripts read. Pure.
//
// Scripts parse it in these ways, so they must keep working: the first line that begins with "total:" is that of "Total IO", and the second
// to fifth column of it, split at "|", are I/Os, MiB/s, IOPS and mean latency; the line that begins with "avg." has the usage of all CPUs
// in its second column (it is never indented, and the table has no columns but its five); sections are separated by empty lines.
#pragma once

#include <string>

#include "reports/diskspd/diskspd_document.hpp"

namespace reports {

std::string diskspd_text(const DiskspdDocument& document, DiskspdTextStyle style);

}  // namespace reports
