// The folder of a campaign: campaign.json, and beside it the output of the runs and verifications. One powertest at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/powertest/campaign_state.hpp"
#include "reports/powertest_campaign.hpp"
#include "ums/base/output_handle.hpp"

namespace cli {

class StateFolder {
public:
    // Creates the folder if it does not exist. Waits some seconds for a run that is just ending. Throws UsageError if it is not a folder,
    // sim::EnvironmentError if another powertest has it or it cannot be used.
    explicit StateFolder(const std::string& path);
    StateFolder(const StateFolder&) = delete;
    StateFolder& operator=(const StateFolder&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }  // absolute
    // A run that has it open holds the folder until the run has ended, whatever happens to us.
    [[nodiscard]] const ums::OutputHandle& lock() const { return lock_; }
    // "FOLDER/cycle-0003.run.txt"
    [[nodiscard]] std::string file_of_cycle(std::uint32_t number, std::string_view what) const;

    // Empty if there is no campaign yet. Throws UsageError if its state is damaged.
    [[nodiscard]] std::optional<CampaignState> load() const;
    // When it returns, the state is on stable storage; until then the older one is. Throws sim::EnvironmentError.
    void save(const CampaignState& state) const;
    // For a campaign that could not begin.
    void forget() const;

private:
    std::string path_;
    ums::OutputHandle lock_;
};

// What a verification's results file says about a cycle.
// Findings, torn pages, blocks behind the end, the headline, and as load the time from `run_started_utc_us` to the log's last block.
// Without a readable file all of them are 0 and empty.
reports::PowerCycle verified_cycle(const std::string& json_path, std::uint64_t run_started_utc_us);

}  // namespace cli
