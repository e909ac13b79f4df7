// Results in the form of DiskSpd's text: the lines, columns and order that people and scripts read. Pure.
//
// Scripts parse the following, which must stay as it is. The first line that begins with "total:" is that of "Total IO"; its second to
// fifth columns, split at "|", are I/Os, MiB/s, IOPS and mean latency. The line that begins with "avg." has the usage of all CPUs in its
// second column; it is never indented, and its table has exactly five columns. Empty lines separate sections.
#pragma once

#include <string>

#include "reports/diskspd/diskspd_document.hpp"

namespace reports {

std::string diskspd_text(const DiskspdDocument& document, DiskspdTextStyle style);

}  // namespace reports
