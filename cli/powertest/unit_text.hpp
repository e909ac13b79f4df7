// A systemd unit that continues a campaign after each boot. Pure.
#pragma once

#include <string>

#include "cli/powertest/campaign_state.hpp"

namespace cli {

// `program` and `state_path` must be absolute. Throws UsageError for a name that no unit can hold.
std::string unit_text(const CampaignState& state, const std::string& program, const std::string& state_path);

}  // namespace cli
