// When a campaign cuts the power by its command. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "cli/powertest/campaign_state.hpp"

namespace cli {

struct DrawnCut {
    std::uint64_t after_ms = 0;  // the run has worked so long
    std::string moment;          // then it waits for this one; "any": for none
    std::uint64_t late_us = 0;   // how long after the moment
};

// Depends only on the plan and the cycle's number, from 1, so that a campaign that was interrupted draws the same cuts when it continues.
DrawnCut drawn_cut(const CampaignPlan& plan, std::uint32_t cycle);

// By which `run --moments` tells of the moment, which is not "any".
char letter_of_moment(const std::string& moment);

}  // namespace cli
