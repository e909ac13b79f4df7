// What a campaign knows, and the file that keeps it, which survives a power cut at any moment.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reports/powertest_campaign.hpp"

namespace cli {

inline constexpr std::uint32_t kCampaignVersion = 1;
inline constexpr std::uint64_t kCampaignSecondsMax = 86400;  // of each time in the plan: a day

// The plan, in the words of the command line.
struct CampaignPlan {
    std::vector<std::string> typed{};      // all but --state and --json: distinguishes one campaign from another
    std::string folder{};                  // where the command was typed: relative names start here
    std::vector<std::string> run_words{};  // switches of the run
    std::vector<std::string> folders{};    // of all files that a run makes, from the root
    std::uint32_t cycles = 0;
    std::string cut{};      // command; empty: the user pulls the plug
    std::string restore{};  // command; empty: nothing needs to be done after a cut
    std::uint64_t least_s = 0;
    std::uint64_t most_s = 0;
    std::uint64_t timeout_s = 0;
    std::uint64_t seed = 0;
    std::vector<std::string> moments{};  // taken in turn: "any", "checkpoint", "flush", "growth"
};

enum class CampaignPhase : std::uint8_t {
    idle,       // between two cycles
    running,    // the run works on the files
    cutting,    // the cut may have been made; restore, then verify
    verifying,  // the files are as the cut left them
};

struct CampaignState {
    CampaignPlan plan{};
    CampaignPhase phase = CampaignPhase::idle;
    bool begins_anew = true;   // the next run creates the files; otherwise it continues with them
    bool makes_files = false;  // no test file existed when the campaign began: those that exist are its own
    // Where the volume of each of plan.folders was mounted when the first run began; empty: not known. Otherwise a volume that is not
    // mounted looks like one that a cut has emptied, and the next run would work on the disk of its mount point.
    std::vector<std::string> mounts{};
    std::string moment{};  // the moment that the present cut waited for; empty: none
    // The present run had a block of its log acknowledged before --cut began. Before that, it had made its files durable.
    bool has_logged = false;
    bool was_cut = false;  // the files that verifying reads were left by a cut
    bool is_over = false;  // by --end
    std::uint64_t run_started_utc_us = 0;
    std::uint64_t cut_begins_utc_us = 0;  // just before the command of the latest cut began; 0: not known
    std::uint64_t load_ms = 0;            // of the run before the cut; 0: not measured
    std::vector<reports::PowerCycle> cycles{};
};

std::string campaign_state_text(const CampaignState& state);
// Throws UsageError if `text` is damaged or of a newer version. `path`: for the message.
CampaignState parse_campaign_state(const std::string& text, const std::string& path);

}  // namespace cli
