// The folder of a campaign: campaign.json and the output of the runs and verifications. Only one powertest may use it at a time.
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
    // sim::EnvironmentError if another powertest uses it or it cannot be used.
    explicit StateFolder(const std::string& path);
    StateFolder(const StateFolder&) = delete;
    StateFolder& operator=(const StateFolder&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }  // absolute
    // A run inherits this lock and holds it until it has ended, whatever happens to powertest.
    [[nodiscard]] const ums::OutputHandle& lock() const { return lock_; }
    // "ioproof powertest --state FOLDER": goes on with the campaign. Can be pasted into a shell, whatever the folder is called.
    [[nodiscard]] std::string command() const;
    // The same in a sentence: in single quotes, unless it has some of its own.
    [[nodiscard]] std::string quoted_command() const;
    // "FOLDER/cycle-0003.run.txt"
    [[nodiscard]] std::string file_of_cycle(std::uint32_t number, std::string_view what) const;

    // Empty if there is no campaign yet. Throws UsageError if the state is damaged.
    [[nodiscard]] std::optional<CampaignState> load() const;
    // Atomic and durable: the state is on stable storage when this returns, and until then the previous one is. Throws
    // sim::EnvironmentError.
    void save(const CampaignState& state) const;
    // Removes the state of a campaign that could not begin.
    void forget() const;

private:
    std::string path_;
    ums::OutputHandle lock_;
};

// The last line that a child printed into this file of a cycle, for a message; or that the file is none, so that the child was not started.
// Empty if it printed nothing.
std::string said_in(const std::string& output_path);

// What a verification's results file says about a cycle: findings, torn pages, blocks behind the end, the headline, and as load the time
// from `run_started_utc_us` to the log's last block. If the file cannot be read, or has no results, all of them are 0 or empty.
reports::PowerCycle verified_cycle(const std::string& json_path, std::uint64_t run_started_utc_us);

// What a verification with this exit code and this results file has shown. Empty if it could not be done (the folder, the configuration or
// the witness was not there, the ledger is damaged, the files were refused), so the files still have to be verified.
std::optional<reports::CutOutcome> verified_outcome(int exit_code, const std::string& json_path);
// The id of the run, or of the run whose files were verified, in this results file, even if it is from the beginning. Empty if it has none.
std::string run_id_in(const std::string& json_path);
// Whether none of the files was there, or ours, by this results file of a verification.
bool found_no_files(const std::string& json_path);

}  // namespace cli
