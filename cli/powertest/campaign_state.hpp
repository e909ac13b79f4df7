// What a campaign knows, and its file, which survives a power cut at any moment.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reports/powertest_campaign.hpp"

namespace cli {

inline constexpr std::uint32_t kCampaignVersion = 1;

// What was requested, in the words of the command line.
struct CampaignPlan {
    std::vector<std::string> typed{};      // all but --state and --json: how one campaign is distinguished from another
    std::string folder{};                  // where it was typed: relative names start here
    std::vector<std::string> run_words{};  // switches of the run
    std::uint32_t cycles = 0;
    std::string cut{};      // command; empty: a person pulls the plug
    std::string restore{};  // command; empty: nothing needs to be done after a cut
    std::uint64_t least_s = 0;
    std::uint64_t most_s = 0;
    std::uint64_t timeout_s = 0;
    std::uint64_t seed = 0;
    std::vector<std::string> moments{};  // in turn: "any", "checkpoint", "flush", "growth"
};

enum class CampaignPhase : std::uint8_t {
    idle,       // between two cycles
    running,    // the run works on the files
    cutting,    // the cut may have been made; restore, then verify
    verifying,  // the files are as the cut has left them
};

struct CampaignState {
    CampaignPlan plan{};
    CampaignPhase phase = CampaignPhase::idle;
    bool begins_anew = true;   // the next run creates the files; otherwise it continues with them
    bool makes_files = false;  // none of them existed when the campaign began: those that exist are its own
    std::string moment{};      // that the present cut has waited for; empty: none
    bool was_cut = false;      // what verifying looks at was left by a cut
    bool is_over = false;      // by --end
    std::uint64_t run_started_utc_us = 0;
    std::uint64_t load_ms = 0;  // of the run before the cut; 0: not measured
    std::vector<reports::PowerCycle> cycles{};
};

std::string campaign_state_text(const CampaignState& state);
// Throws UsageError if `text` is damaged or of a newer version; `path` is for the message.
CampaignState parse_campaign_state(const std::string& text, const std::string& path);

}  // namespace cli
