// One group of runs, as its witness knows it: who has come, who is awaited, whose turn it is. Pure: the time is passed in. Used by one
// thread.
//
// Nothing here waits: each beat is answered immediately with the present state. A run that has been silent for longer than the lease is
// gone, and loses its turn; one that never came is awaited for as long as the terms say, then named. Keeps at most kGroupRanksMax members
// and the last kTurnsKept turns.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/group/group_message.hpp"

namespace cli {

class GroupState {
public:
    // Deadlines use the monotonic clock; times for people use the witness's wall clock.
    struct Now {
        std::uint64_t monotonic_us = 0;
        std::uint64_t utc_us = 0;
    };
    static constexpr std::size_t kTurnsKept = 64;

    explicit GroupState(Now now) : last_beat_us_(now.monotonic_us) {}

    // `has_promises`: whether the witness holds promises of the run whose files are handed over.
    [[nodiscard]] GroupView take(const GroupBeat& beat, Now now, bool has_promises = true);

    // The witness stood still for this long, until now, and heard nobody: it does not count against anyone.
    void forgive(std::uint64_t away_us, Now now);

    // Whether anything that must survive a restart of the witness has changed since the last call.
    [[nodiscard]] bool take_changed() {
        const bool has_left_changed = left_ && left_->take_changed();
        return std::exchange(has_changed_, false) || has_left_changed;
    }
    [[nodiscard]] std::string to_text() const;
    // Nothing if the text is not a group, or exceeds a limit. All members that were not gone count as heard from just now.
    [[nodiscard]] static std::optional<GroupState> from_text(const std::string& text, Now now);

    // It has ended, or all members have been silent so long that it counts as ended: the witness may forget it, and unless it was a
    // hand-over that has not reached its end, another group may take its name.
    [[nodiscard]] bool is_history(Now now) const;
    // Its files are evidence, or the next owner is to verify them, however late it comes: the first owner of a new group would delete them.
    // Without a promise there is nothing to verify.
    [[nodiscard]] bool keeps_its_name(bool has_promises) const;
    // The run whose files are handed over; 0: none is known.
    [[nodiscard]] std::uint64_t run_id() const;
    [[nodiscard]] std::uint64_t last_beat_us() const { return last_beat_us_; }

private:
    struct Member {
        GroupPeer peer;
        std::uint64_t last_beat_us = 0;
        bool was_gone = false;    // as last reported
        bool is_lost = false;     // was gone when the witness ended, and has not been heard since
        std::uint64_t beats = 0;  // number of the last one; not kept, because no connection outlives the witness
    };

    [[nodiscard]] bool has_session(const GroupBeat& beat) const;
    void begin_anew(Now now);
    [[nodiscard]] bool is_abandoned(const GroupBeat& beat, Now now) const;
    void wait_anew(Now now);
    [[nodiscard]] std::string refusal(const GroupBeat& beat) const;
    [[nodiscard]] bool is_silent(const Member& member, Now now) const {
        return member.is_lost || now.monotonic_us - member.last_beat_us > terms_.lease_ms * 1000;
    }
    [[nodiscard]] bool is_gone(const Member& member, Now now) const { return member.peer.state != "done" && is_silent(member, now); }
    [[nodiscard]] bool has_ended_or_is_gone(const Member& member, Now now) const {
        return member.peer.state == "done" || is_silent(member, now);
    }
    [[nodiscard]] bool may_be_replaced(const Member& member, Now now) const;
    // It has met, and each of its members has ended or is gone: a process that comes now belongs to another group.
    [[nodiscard]] bool is_left(Now now) const;
    [[nodiscard]] bool is_excused(std::uint32_t rank, Now now) const;
    [[nodiscard]] bool is_over() const;
    [[nodiscard]] nlohmann::json to_json() const;
    void read(const nlohmann::json& json, Now now);
    [[nodiscard]] bool is_allowed() const;
    void note_member(const GroupBeat& beat, Now now);
    void note_gone(Now now);
    void note_left_out(std::uint32_t stage, Now now);
    void release_stages(Now now);
    void begin_turns(Now now);
    void take_turn(const GroupBeat& beat, Now now);
    void watch_turn(Now now);
    void end_turn(const std::string& by, std::uint64_t findings, Now now);
    void change() {
        has_changed_ = true;
        ++revision_;
    }
    [[nodiscard]] GroupView view_for(const GroupBeat& beat, Now now) const;

    GroupTerms terms_;
    bool has_terms_ = false;
    std::map<std::uint32_t, Member> members_;
    std::uint64_t first_beat_us_ = 0;  // when it began to wait for its members
    std::uint64_t last_beat_us_ = 0;   // of a member: a run that is refused does not keep the group alive
    std::uint64_t revision_ = 0;
    std::uint32_t released_stage_ = 0;
    std::uint64_t released_utc_us_ = 0;
    std::vector<GroupTurn> turns_;  // the last one is the present one, unless all are over
    std::uint64_t turn_since_us_ = 0;
    std::vector<std::uint32_t> never_came_;  // to the group, or to an audit
    std::string failure_;
    std::uint64_t over_since_us_ = 0;
    bool has_changed_ = false;
    std::unique_ptr<GroupState> left_;  // the group before, unless it was a hand-over
};

}  // namespace cli
