// Takes a campaign of power cuts from its present state to its end: run, cut, restore, verify, and again. Records each step before
// beginning it, so that the campaign can continue whatever interrupted it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/powertest/campaign_state.hpp"
#include "cli/powertest/reported_findings.hpp"
#include "cli/powertest/state_folder.hpp"
#include "cli/process/console.hpp"
#include "cli/process/stop_signals.hpp"
#include "ums/base/child_process.hpp"
#include "ums/base/named_pipe.hpp"

namespace cli {

// Main thread only.
class Campaign {
public:
    // All arguments must outlive the campaign.
    Campaign(CampaignState& state, const StateFolder& folder, Console& console, const GracefulStop& stop)
        : state_(state), folder_(folder), console_(console), stop_(stop) {}

    // True if the campaign is complete, false if the user stopped it. Throws sim::EnvironmentError if a command, a run or a verification
    // could not be carried out; UsageError if the first run refuses its files.
    bool go_on();

private:
    enum class Waited { ended, timed_out, stopped };

    [[nodiscard]] bool is_at_end() const;
    [[nodiscard]] std::uint32_t cycle_number() const { return static_cast<std::uint32_t>(state_.cycles.size() + 1); }
    [[nodiscard]] bool is_guided() const { return state_.plan.cut.empty(); }
    [[nodiscard]] std::string findings_path() const { return folder_.file_of_cycle(cycle_number(), "run.findings.jsonl"); }
    // Written when the run begins: it has the run's id.
    [[nodiscard]] std::string run_json_path() const { return folder_.file_of_cycle(cycle_number(), "run.json"); }
    void enter(CampaignPhase phase);
    void say(const std::string& line);
    Waited wait_for(ums::ChildProcess& child, std::uint64_t patience_ms);

    // Continues after an interruption.
    void take_up();
    // Each returns false if the user stopped it.
    bool load();
    bool cut();
    bool restore();
    bool verify();

    // The run that works on the files until the cut.
    [[nodiscard]] std::vector<std::string> words_of_run() const;
    // Until a run of a group has met the others and works: timed_out, and at once without a group. Only with a command for the cut.
    Waited wait_for_group();
    // Until it has ended, or has reported something.
    Waited wait_for_run(std::uint64_t patience_ms);
    Waited wait_for_moment();
    void run_has_ended(int exit_code);
    // Whether the run has reported what no cut explains. The campaign then ends: the finding must not be forgotten if a cut or a signal
    // ends the run before it ends by itself, or if it is to go on after a finding.
    bool has_reported();
    void end_with_reported(std::uint64_t finding_count, bool was_cut = false);
    // Whether the run had found something before this time, at which the command began to cut: the cycle has then ended with it. What it
    // has found since may be due to the cut, so that is only mentioned, and is no verdict.
    bool ends_with_found_before(std::uint64_t cut_utc_us, bool was_cut);
    // Empty if the command succeeded, otherwise what to report.
    std::string run_command_line(const std::string& name, const std::string& command);
    // Notes where the volumes are mounted before the first run; later throws sim::EnvironmentError if one is not mounted there.
    void note_volumes();
    void refuse_missing_volume() const;
    // Of a verification that found nothing to verify, which said `said`: throws sim::EnvironmentError if something must be there.
    void refuse_vanished_files(const std::string& said) const;
    // Of a verification that found the files intact: what is wrong if they are not those of the run that the cut ended. Empty if they are,
    // or if nobody knows.
    [[nodiscard]] std::string exchanged_files_text() const;
    [[nodiscard]] std::optional<std::size_t> folder_without_volume() const;
    [[nodiscard]] std::string missing_folder() const;
    bool wait_for_folders();
    void note(int verify_exit_code, std::uint64_t verify_ms);
    void end_cycle(reports::PowerCycle cycle);

    CampaignState& state_;
    const StateFolder& folder_;
    Console& console_;
    const GracefulStop& stop_;
    std::unique_ptr<ums::ChildProcess> run_;
    std::optional<ums::PipeReader> moments_;  // reported by the run
    std::optional<ReportedFindings> reported_;
    bool goes_on_behind_cut_ = false;  // the restore may have been done before the interruption
};

}  // namespace cli
