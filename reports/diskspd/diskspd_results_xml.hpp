// Results in the shape of DiskSpd's XML. Pure.
//
// What its readers depend on: the first line is exactly "<Results>"; below Latency there is a Bucket for each percent from 0 to 99, then
// 99.9 to 99.9999999, then 100; every child of Thread/Target but Path, FileSize and those named *Latency* is a number that may be added up,
// so anything specific to ioproof is in an element Integrity directly below TimeSpan.
#pragma once

#include <string>

#include "reports/diskspd/diskspd_document.hpp"

namespace reports {

std::string diskspd_results_xml(const DiskspdDocument& document);

}  // namespace reports
