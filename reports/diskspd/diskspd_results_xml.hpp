// Results in the form of DiskSpd's XML. Pure.
//
// Readers depend on this: the first line is exactly "<Results>"; Latency has a Bucket for each percent from 0 to 99, then 99.9 to
// 99.9999999, then 100; every child of Thread/Target except Path, FileSize and those named *Latency* is a number that may be added up, so
// anything specific to ioproof is in an element Integrity directly below TimeSpan.
#pragma once

#include <string>

#include "reports/diskspd/diskspd_document.hpp"

namespace reports {

std::string diskspd_results_xml(const DiskspdDocument& document);

}  // namespace reports
