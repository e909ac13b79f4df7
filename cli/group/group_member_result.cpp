// What a member reports about its group at the end.
#include <algorithm>
#include <cstddef>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/group/group_member.hpp"
#include "ums/base/machine.hpp"

namespace cli {

namespace {

constexpr std::size_t kTurnsShown = 16;

// `is_broken_off`: the group ended with this turn.
std::string end_text(const GroupTurn& turn, bool is_broken_off) {
    if (turn.session == 0) return "did not come";
    if (turn.findings > 0) return "ended with wrong data";
    if (turn.ended_by.empty()) return "not ended";
    if (turn.ended_by == "lost") return "lost";
    if (turn.ended_by != "in-order") return "ended by " + turn.ended_by;
    return is_broken_off ? "broken off" : "ended in order";
}

// Of a witness without which a run has given up its meetings.
std::string absence_text(const GroupLink::Knowledge& known) {
    if (!known.problem.empty()) return fmt::format("refuses this run ({})", known.problem);
    return known.trouble.empty() ? "did not come back" : fmt::format("did not come back ({})", known.trouble);
}

}  // namespace

std::vector<std::string> GroupMember::turn_texts() const {
    const GroupView view = link_.knowledge().view;
    std::vector<std::string> texts;
    const std::size_t count = view.turns.size();
    for (std::size_t i = count - std::min(count, kTurnsShown); i < count; ++i) {
        const GroupTurn& turn = view.turns[i];
        const bool is_broken_off = i + 1 == count && !view.failure.empty();
        const std::string host = turn.host.empty() ? std::string() : " on " + turn.host;
        texts.push_back(fmt::format("Turn {}, rank {}{}: {}", turn.number, turn.rank, host, end_text(turn, is_broken_off)));
    }
    return texts;
}

std::vector<sim::GroupMemberResult> GroupMember::members_of(const GroupView& view) {
    std::vector<sim::GroupMemberResult> members;
    if (!view.peers) return members;
    for (const GroupPeer& peer : *view.peers) {
        members.push_back({peer.rank, peer.host, peer.run_id, peer.files, peer.state, peer.clock_offset_us});
    }
    return members;
}

std::optional<sim::TurnResult> GroupMember::turn_result(const GroupView& view) const {
    if (!settings_.is_hand_over()) return std::nullopt;
    sim::TurnResult result;
    result.number = turn_;
    result.turns = settings_.terms.turns;
    result.planned_end = settings_.terms.end_of_turn(turn_);
    result.incarnation = 1;
    for (const GroupTurn& turn : view.turns) {
        if (turn.number >= turn_ || turn.session == 0) continue;
        result.previous = sim::EarlierOwnerResult{turn.rank, turn.host, turn.incarnation, turn.ended_by, turn.ended_utc_us};
        if (sim::is_planned_loss(turn.ended_by)) result.planned_losses.push_back({turn.number, turn.rank});
    }
    const std::lock_guard guard(mutex_);
    result.verified = verified_;
    if (turn_ > 1) result.incarnation = taken_over_ ? taken_over_->incarnation : 0;
    return result;
}

sim::GroupResult GroupMember::result() const {
    const GroupLink::Knowledge known = link_.knowledge();
    sim::GroupResult result;
    result.name = settings_.name;
    result.plan = settings_.terms.plan;
    result.rank = settings_.rank;
    result.of = settings_.terms.of;
    result.host = ums::this_machine().host_name;
    result.witness = link_.name();
    result.bursts = settings_.terms.bursts;
    result.coherence = settings_.terms.coherence;
    result.clock_offset_us = known.clock_offset_us;
    result.round_trip_us = known.round_trip_us;
    result.started_utc_us = known.view.released_utc_us;
    result.missing_ranks = known.view.missing;
    result.members = members_of(known.view);
    result.turn = turn_result(known.view);
    for (const GroupTurn& turn : known.view.turns) {
        if (turn.number == turn_) result.started_utc_us = turn.began_utc_us;
    }
    if (settings_.only_reads()) {
        const std::lock_guard guard(mutex_);
        result.reader = read_;
    }
    return result;
}

void GroupMember::complete(sim::Results& results) const {
    results.group = result();
    const std::vector<std::uint32_t>& missing = results.group->missing_ranks;
    if (results.outcome != sim::Outcome::passed) return;
    // Only the verdict of a side-by-side run depends on the meetings; owners and readers of shared files reach theirs without them.
    if (missing.empty() && has_met_nobody_ && settings_.terms.plan == "side-by-side") {
        results.outcome = sim::Outcome::not_done;
        results.group->is_without_witness = true;
        results.outcome_reason = fmt::format(
            "The witness {} {}, so this run did not wait for the others of the group {}: what they wrote afterwards is not judged.",
            link_.name(), absence_text(link_.knowledge()), settings_.name);
    }
    if (missing.empty()) return;
    results.outcome = sim::Outcome::not_done;
    const bool is_one = missing.size() == 1;
    results.outcome_reason =
        fmt::format("Of the {} runs of the group {}, {} {} did not come, or {} lost or cut off: the effect on the others is not known.",
                    settings_.terms.of, settings_.name, is_one ? "rank" : "ranks", fmt::join(missing, ", "), is_one ? "was" : "were");
}

}  // namespace cli
