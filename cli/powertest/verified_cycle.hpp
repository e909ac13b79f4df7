// What a verification's results file says about a cycle.
#pragma once

#include <cstdint>
#include <string>

#include "reports/powertest_campaign.hpp"

namespace cli {

// Findings, torn pages, blocks behind the end, the headline, and as load the time from `run_started_utc_us` to the log's last block.
// Without a readable file all of them are 0 and empty.
reports::PowerCycle verified_cycle(const std::string& json_path, std::uint64_t run_started_utc_us);

}  // namespace cli
