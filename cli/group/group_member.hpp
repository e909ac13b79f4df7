// A run as a member of its group: what the simulation asks the group, the run's turns, and how these end as planned.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/group/group_link.hpp"
#include "cli/group/group_settings.hpp"
#include "cli/process/stop_signals.hpp"
#include "sim/group/group_explanation.hpp"
#include "sim/group/run_group.hpp"
#include "sim/results.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/prng.hpp"

namespace cli {

class GroupMember final : public sim::RunGroup {
public:
    // `command_line`: restarts this process after its turn was taken from it. Throws as GroupLink does.
    GroupMember(GroupSettings settings, const WitnessAddress& address, const TlsKeys& keys, std::vector<std::string> command_line);
    ~GroupMember() override;

    // Waits until the group has accepted this run. Throws sim::EnvironmentError if it does not, or if the witness cannot be reached.
    void join(const GracefulStop& stop);
    [[nodiscard]] const GroupSettings& settings() const { return settings_; }
    // "night-1, hand-over, rank 1 of 3, turn 2 of 6"
    [[nodiscard]] std::string text() const;

    // In a hand-over: waits for this rank's next turn. Nothing if no turn is left, or if the run is stopped.
    [[nodiscard]] std::optional<std::uint32_t> wait_for_turn(const GracefulStop& stop);
    // `main_run_s`: the length of the turn's main run.
    void begin_turn(std::uint32_t turn, std::uint64_t main_run_s);
    // Before the results of a turn count: asks the witness whether it is still this run's, and waits some seconds for the answer. If it is
    // not, this process begins again, as it does when a beat says so. Otherwise, and without an answer, it returns.
    void confirm_turn();
    // The plan says that this turn ends when its host is taken away. A signal that does that must not end the turn in order.
    [[nodiscard]] bool is_to_be_lost() const { return turn_ != 0 && settings_.terms.end_of_turn(turn_) == "loss"; }
    // The files are closed, and the next owner may open them. `failure`: why the turn could not be completed, or empty.
    void end_turn(std::uint64_t findings, const std::string& failure);
    // Side by side: this run has ended.
    void end(std::uint64_t findings);

    // The group as known so far.
    [[nodiscard]] sim::GroupResult result() const;
    // Adds the group to the results. If it was incomplete, a run that would pass becomes INCOMPLETE.
    void complete(sim::Results& results) const;
    // Why the group ended early; otherwise empty.
    [[nodiscard]] std::string failure() const { return link_.knowledge().view.failure; }
    // How the last turns ended, one text for each: "Turn 2, rank 1 on node-b: broken off".
    [[nodiscard]] std::vector<std::string> turn_texts() const;
    // Whether an owner's turn ended with findings.
    [[nodiscard]] bool has_any_turn_findings() const;

    // Called when this owner is about to freeze: must release the locks that would keep others from the files. Empty: no callback.
    void on_freeze(std::function<void()> release);

    // See sim::RunGroup.
    void begins(std::uint64_t run_id, std::vector<std::string> paths) override;
    [[nodiscard]] bool may_pass(Meeting meeting, std::uint32_t cycle) override;
    [[nodiscard]] std::uint64_t rest_us() const override;
    [[nodiscard]] std::uint64_t wanted_run_id() const override;
    [[nodiscard]] bool hands_files_over() const override { return settings_.is_hand_over(); }
    void verified(const sim::TakeOverResult& what) override;
    void takes_over(sim::TakeOver what) override;
    [[nodiscard]] std::optional<Coherence> reads_with() const override;
    [[nodiscard]] Owner owner() const override;
    void has_read(const sim::ReaderResult& what) override;
    void explain(sim::Finding& finding) const override;

private:
    [[nodiscard]] bool may_make_files(std::uint64_t now_ns);
    void choose_fate(std::uint64_t now_ns);
    void on_beat();
    void follow_owner();
    void meet_fate();
    void freeze();
    [[nodiscard]] std::string taken_by() const;
    void watch_fence();
    [[nodiscard]] GroupBeat first_beat() const;
    [[nodiscard]] sim::GroupKnowledge knowledge() const;
    [[nodiscard]] static std::vector<sim::GroupMemberResult> members_of(const GroupView& view);
    [[nodiscard]] std::optional<sim::TurnResult> turn_result(const GroupView& view) const;
    [[nodiscard]] std::uint64_t patience_ns() const;  // how long to wait for a witness that does not answer
    [[nodiscard]] bool may_yet_answer(const GroupLink::Knowledge& known, std::uint64_t now_ns) const;
    void check(const GroupLink::Knowledge& known, std::uint64_t silent_since_ns) const;
    [[noreturn]] void refuse(const std::string& why) const;
    [[nodiscard]] std::string taken_text() const;

    const GroupSettings settings_;
    const std::vector<std::string> command_line_;
    const ums::RealClock clock_;
    const std::uint64_t session_;
    std::atomic<std::uint32_t> turn_{0};      // the one that this run has; 0: none
    std::uint32_t ended_turn_ = 0;            // the last one that it had; the witness may not have heard of its end yet
    std::atomic<std::uint64_t> fate_ns_{0};   // when this run ends its turn by kill or fence; 0: never, or not chosen yet
    std::atomic<std::uint64_t> asked_ns_{0};  // when this run began to wait for the present meeting
    std::atomic<std::uint32_t> asked_stage_{0};
    std::atomic<bool> has_met_nobody_{false};  // gave up on a meeting
    mutable std::mutex mutex_;                 // guards what follows
    std::uint64_t main_run_s_ = 0;
    std::function<void()> release_;
    std::optional<sim::TakeOver> taken_over_;
    std::uint64_t run_id_ = 0;
    sim::TakeOverResult verified_;
    sim::ReaderResult read_;
    ums::Prng random_;
    GroupLink link_;
};

}  // namespace cli
