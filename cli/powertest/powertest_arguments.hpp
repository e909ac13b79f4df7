// The command line of `ioproof powertest`. Parsing touches no file and prints nothing.
#pragma once

#include <string>
#include <vector>

#include "cli/powertest/campaign_state.hpp"
#include "cli/switches.hpp"

namespace cli {

struct PowertestArguments {
    std::string state_path;
    std::string html_path;
    std::string json_path;
    bool prints_unit = false;
    bool ends_campaign = false;
    bool has_seed = false;
    CampaignPlan plan;  // its folder is not filled in; `typed` is empty if a campaign is to continue as it is
};

Switches powertest_switches();

// `words`: what follows "powertest". Throws UsageError.
PowertestArguments parse_powertest(const std::vector<std::string>& words);

// The switches among `run_words` that a verification has, too: which files, and everything else that both know.
std::vector<std::string> words_for_verify(const std::vector<std::string>& run_words);

// The folders that -dir names among them.
std::vector<std::string> folders_among(const std::vector<std::string>& run_words);

}  // namespace cli
