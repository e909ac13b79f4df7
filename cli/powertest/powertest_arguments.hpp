// The command line of `ioproof powertest`. Parsing touches no file and prints nothing.
#pragma once

#include <string>
#include <vector>

#include "cli/powertest/campaign_state.hpp"
#include "cli/words/switches.hpp"

namespace cli {

struct PowertestArguments {
    std::string state_path;
    std::string html_path;
    std::string json_path;
    bool prints_unit = false;
    bool ends_campaign = false;
    bool has_seed = false;
    CampaignPlan plan;  // without its folder; `typed` is empty if a campaign is to continue unchanged
};

Switches powertest_switches();

// `words`: what follows "powertest". Throws UsageError.
PowertestArguments parse_powertest(const std::vector<std::string>& words);

// The switches in `run_words` that apply to a verification, too: which files, and everything else that both have.
std::vector<std::string> words_for_verify(const std::vector<std::string>& run_words);

// The folders that -dir names in `run_words`.
std::vector<std::string> folders_among(const std::vector<std::string>& run_words);

// The files besides those of the test without which neither a run nor a verification begins: configuration, ledger, keys.
std::vector<std::string> documents_among(const std::vector<std::string>& run_words);

// Whether the run keeps its promises at a witness.
bool is_witness_among(const std::vector<std::string>& run_words);
// Whether the run keeps its promises at a witness or in a ledger.
bool are_promises_kept(const std::vector<std::string>& run_words);

}  // namespace cli
