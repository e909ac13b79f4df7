// What the writers of DiskSpd's results need. Plain data.
#pragma once

#include "reports/diskspd/diskspd_profile.hpp"
#include "reports/diskspd/diskspd_system.hpp"
#include "sim/bench/measure_results.hpp"

namespace reports {

struct DiskspdDocument {
    DiskspdProfile profile;
    DiskspdSystem system;
    sim::MeasureResults results;  // its time spans are the first ones of the profile; fewer if the measurement was broken off
    bool is_verified = false;     // the pages were ours and were checked: the XML says what was found
};

}  // namespace reports
