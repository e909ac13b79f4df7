// The input of the writers of DiskSpd's results. Plain data.
#pragma once

#include "reports/diskspd/diskspd_profile.hpp"
#include "reports/diskspd/diskspd_system.hpp"
#include "sim/bench/measure_results.hpp"

namespace reports {

struct DiskspdDocument {
    DiskspdProfile profile;
    DiskspdSystem system;
    sim::MeasureResults results;  // of the profile's first time spans; of all, unless the measurement was broken off
    bool is_verified = false;     // the pages were ioproof's and were checked: the XML reports what was found
};

}  // namespace reports
