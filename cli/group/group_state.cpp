#include "cli/group/group_state.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/group/group_message.hpp"

namespace cli {

using Json = nlohmann::json;

namespace {

constexpr const char* kHandOver = "hand-over";
constexpr const char* kSideBySide = "side-by-side";
// Meetings: 1 is the begin; then each cycle has two, before its main run and before its audit.
constexpr std::uint32_t kFirstMainStage = 2;
constexpr std::uint32_t kFirstAuditStage = 3;
// A process that is restarted shortly after the end learns that the group is over, instead of beginning another one.
constexpr std::uint64_t kOverKeptUs = 60'000'000;

std::string text_of_terms(const GroupTerms& terms) {
    return fmt::format(
        "--plan {} --of {} --turns {} --change {} --lease {} --wait-for-ranks {} --bursts {} --burst-seconds {} --coherence {}", terms.plan,
        terms.of, terms.turns, fmt::join(terms.changes, ","), static_cast<double>(terms.lease_ms) / 1000, terms.wait_ms / 1000,
        terms.bursts.empty() ? "-" : terms.bursts, terms.burst_s, terms.coherence.empty() ? "-" : terms.coherence);
}

}  // namespace

GroupView GroupState::take(const GroupBeat& beat, Now now, bool has_promises) {
    GroupView refused;
    refused.utc_us = now.utc_us;
    const bool is_new = !has_session(beat);
    if (is_new && left_ && left_->has_session(beat)) return left_->take(beat, now);
    if (is_new && beat.state == "done") return refused;  // of an earlier group, repeated because its answer was lost
    if (is_new && !keeps_its_name(has_promises) && (is_history(now) || is_left(now))) begin_anew(now);
    if (!has_terms_) {
        terms_ = beat.terms;
        has_terms_ = true;
        first_beat_us_ = now.monotonic_us;
        begin_turns(now);
        change();
    }
    refused.problem = refusal(beat);
    if (!refused.problem.empty()) return refused;
    const auto known = members_.find(beat.rank);
    const bool is_other = known != members_.end() && known->second.peer.session != beat.session;
    if (is_other && !may_be_replaced(known->second, now)) {
        note_gone(now);
        watch_turn(now);
        if (is_over()) refused = view_for(beat, now);  // the process ends now, and reports how the turns ended
        refused.is_rank_taken = true;
        return refused;
    }
    const bool is_late = known != members_.end() && !is_other && beat.number != 0 && beat.number <= known->second.beats;
    if (is_late) return view_for(beat, now);
    if (is_new && is_abandoned(beat, now)) wait_anew(now);
    note_member(beat, now);
    note_gone(now);
    if (terms_.plan == kHandOver) {
        take_turn(beat, now);
        watch_turn(now);
    } else {
        release_stages(now);
    }
    if (is_over() && over_since_us_ == 0) over_since_us_ = now.monotonic_us;
    return view_for(beat, now);
}

void GroupState::forgive(std::uint64_t away_us, Now now) {
    const auto shift = [&](std::uint64_t& since_us) { since_us = std::min(since_us + away_us, now.monotonic_us); };
    for (auto& [rank, member] : members_) shift(member.last_beat_us);
    shift(first_beat_us_);
    shift(last_beat_us_);
    shift(turn_since_us_);
    if (left_) left_->forgive(away_us, now);
}

bool GroupState::has_session(const GroupBeat& beat) const {
    const auto member = members_.find(beat.rank);
    return member != members_.end() && member->second.peer.session == beat.session;
}

// Its runs may all have been cut off from the witness: those that come back must learn which of them was lost, and not meet the new ones.
void GroupState::begin_anew(Now now) {
    std::unique_ptr<GroupState> left;
    if (has_terms_ && terms_.plan != kHandOver) left = std::make_unique<GroupState>(std::move(*this));
    *this = GroupState(now);
    if (!left) return;
    left->left_.reset();
    left_ = std::move(left);
}

// Before it has met: each of its runs has been stopped or is gone, or this process replaces it. One that was only cut off joins again.
bool GroupState::is_abandoned(const GroupBeat& beat, Now now) const {
    const bool has_met = terms_.plan == kHandOver ? turns_.size() > 1 || turns_.back().session != 0 : released_stage_ > 0;
    const auto waits_no_more = [&](const auto& each) { return each.first == beat.rank || has_ended_or_is_gone(each.second, now); };
    return !has_met && failure_.empty() && std::all_of(members_.begin(), members_.end(), waits_no_more);
}

void GroupState::wait_anew(Now now) {
    members_.clear();
    never_came_.clear();
    first_beat_us_ = turn_since_us_ = now.monotonic_us;
}

std::string GroupState::refusal(const GroupBeat& beat) const {
    if (beat.terms == terms_) return {};
    return fmt::format("the group {} has other settings ({}) than this run ({}); name another group for another test", beat.group,
                       text_of_terms(terms_), text_of_terms(beat.terms));
}

// --- members ---

void GroupState::note_member(const GroupBeat& beat, Now now) {
    Member& member = members_[beat.rank];
    const GroupPeer before = member.peer;
    member.peer = {beat.rank,  beat.session,         beat.host,  beat.state,   beat.run_id,
                   beat.files, beat.clock_offset_us, beat.stage, beat.findings};
    member.beats = beat.number;
    member.is_lost = false;
    member.last_beat_us = last_beat_us_ = now.monotonic_us;
    const bool is_as_before = before.session == beat.session && before.state == beat.state && before.run_id == beat.run_id &&
                              before.files == beat.files && before.stage == beat.stage && before.findings == beat.findings;
    if (!is_as_before) change();
}

void GroupState::note_gone(Now now) {
    for (auto& [rank, member] : members_) {
        const bool is_gone_now = is_gone(member, now);
        if (is_gone_now == member.was_gone) continue;
        member.was_gone = is_gone_now;
        change();
    }
    if (terms_.plan == kHandOver || now.monotonic_us - first_beat_us_ <= terms_.wait_ms * 1000) return;
    for (std::uint32_t rank = 0; rank < terms_.of; ++rank) {
        const bool is_noted = std::find(never_came_.begin(), never_came_.end(), rank) != never_came_.end();
        if (members_.contains(rank) || is_noted) continue;
        never_came_.push_back(rank);
        change();
    }
}

// An owner of files that are handed over is restarted for its next turn. Elsewhere a run that begins when the others have met already would
// not meet them any more, and the others would not learn that the first one was lost.
bool GroupState::may_be_replaced(const Member& member, Now now) const {
    if (terms_.plan != kHandOver && released_stage_ > 0) return false;
    return has_ended_or_is_gone(member, now);
}

bool GroupState::is_excused(std::uint32_t rank, Now now) const {
    const auto member = members_.find(rank);
    if (member == members_.end()) return std::find(never_came_.begin(), never_came_.end(), rank) != never_came_.end();
    return has_ended_or_is_gone(member->second, now);
}

// One that is only disconnected may still write while the others audit: it stays named when it is back.
void GroupState::note_left_out(std::uint32_t stage, Now now) {
    for (const auto& [rank, member] : members_) {
        const bool is_noted = std::find(never_came_.begin(), never_came_.end(), rank) != never_came_.end();
        if (terms_.plan == kSideBySide && is_gone(member, now) && member.peer.stage < stage && !is_noted) never_came_.push_back(rank);
    }
}

// As far as one has come, and all have who are not excused. A member may name any stage.
void GroupState::release_stages(Now now) {
    std::uint32_t furthest = 0;
    std::uint32_t common = ~std::uint32_t{0};
    for (std::uint32_t rank = 0; rank < terms_.of; ++rank) {
        const auto member = members_.find(rank);
        const std::uint32_t reached = member == members_.end() ? 0 : member->second.peer.stage;
        furthest = std::max(furthest, reached);
        if (!is_excused(rank, now)) common = std::min(common, reached);
    }
    const std::uint32_t stage = std::min(furthest, common);
    if (stage <= released_stage_) return;
    if (released_stage_ < kFirstMainStage && stage >= kFirstMainStage) released_utc_us_ = now.utc_us;
    if (stage >= kFirstAuditStage) note_left_out(stage, now);
    released_stage_ = stage;
    change();
}

bool GroupState::is_over() const {
    if (!failure_.empty()) return true;
    if (terms_.plan == kHandOver) return !turns_.empty() && turns_.back().number == terms_.turns && !turns_.back().ended_by.empty();
    return members_.size() == terms_.of &&
           std::all_of(members_.begin(), members_.end(), [](const auto& each) { return each.second.peer.state == "done"; });
}

bool GroupState::is_left(Now now) const {
    return terms_.plan != kHandOver && released_stage_ > 0 &&
           std::all_of(members_.begin(), members_.end(), [&](const auto& each) { return has_ended_or_is_gone(each.second, now); });
}

bool GroupState::is_history(Now now) const {
    if (!has_terms_) return true;
    if (over_since_us_ != 0) {
        const std::uint64_t kept_us = terms_.plan == kHandOver ? std::max(kOverKeptUs, terms_.lease_ms * 6000) : 0;
        return now.monotonic_us - over_since_us_ >= kept_us;
    }
    return now.monotonic_us - last_beat_us_ > std::max(terms_.wait_ms * 1000, terms_.lease_ms * 10'000);
}

bool GroupState::keeps_its_name(bool has_promises) const {
    if (terms_.plan != kHandOver || turns_.empty() || (is_over() && failure_.empty())) return false;
    const bool has_findings = std::any_of(turns_.begin(), turns_.end(), [](const GroupTurn& turn) { return turn.findings > 0; });
    const bool has_files = run_id() != 0 && has_promises;
    const bool are_turns_forgotten = turns_.front().number > 1;
    return has_findings || has_files || are_turns_forgotten;
}

// All turns have the same.
std::uint64_t GroupState::run_id() const {
    const auto known = std::find_if(turns_.begin(), turns_.end(), [](const GroupTurn& turn) { return turn.run_id != 0; });
    return known == turns_.end() ? 0 : known->run_id;
}

// --- turns ---

void GroupState::begin_turns(Now now) {
    if (terms_.plan != kHandOver) return;
    turns_ = {GroupTurn{}};
    turn_since_us_ = now.monotonic_us;
}

void GroupState::take_turn(const GroupBeat& beat, Now now) {
    GroupTurn& turn = turns_.back();
    const bool is_meant = beat.turn == turn.number && beat.rank == turn.rank && turn.ended_by.empty() && failure_.empty();
    if (!is_meant || (turn.session != 0 && turn.session != beat.session)) return;
    if (turn.session == 0) {
        if (beat.is_turn_over) return;
        turn.session = beat.session;
        turn.host = beat.host;
        turn.began_utc_us = now.utc_us;
        change();
    }
    if (beat.run_id != 0 && (turn.run_id != beat.run_id || turn.incarnation != beat.incarnation || turn.first_vlf != beat.first_vlf ||
                             turn.found_lsn != beat.found_lsn)) {
        turn.run_id = beat.run_id;
        turn.incarnation = beat.incarnation;
        turn.first_vlf = beat.first_vlf;
        turn.found_lsn = beat.found_lsn;
        change();
    }
    turn.clock_offset_us = beat.clock_offset_us;
    if (!beat.is_turn_over) return;
    if (beat.findings > 0 || !beat.failure.empty()) {
        failure_ =
            fmt::format("turn {} of rank {} on {} ended with {}", turn.number, turn.rank, turn.host,
                        beat.failure.empty() ? fmt::format("{} finding{}", beat.findings, beat.findings == 1 ? "" : "s") : beat.failure);
    }
    end_turn("in-order", beat.findings, now);
}

void GroupState::watch_turn(Now now) {
    if (turns_.empty() || !failure_.empty() || !turns_.back().ended_by.empty()) return;
    const GroupTurn& turn = turns_.back();
    if (turn.session == 0) {
        if (now.monotonic_us - turn_since_us_ <= terms_.wait_ms * 1000) return;
        failure_ = fmt::format("rank {} did not come for turn {} within {} s", turn.rank, turn.number, terms_.wait_ms / 1000);
        never_came_ = {turn.rank};
        return change();
    }
    const auto holder = members_.find(turn.rank);
    const bool is_heard = holder != members_.end() && holder->second.peer.session == turn.session && !is_silent(holder->second, now);
    if (is_heard) return;
    const std::string planned = terms_.end_of_turn(turn.number);
    // Nobody verifies what it left.
    if (turn.number == terms_.turns) {
        failure_ = fmt::format("turn {} of rank {} on {}, the last one, was lost", turn.number, turn.rank, turn.host);
    }
    end_turn(planned == "in-order" ? "lost" : planned, 0, now);
}

void GroupState::end_turn(const std::string& by, std::uint64_t findings, Now now) {
    GroupTurn& turn = turns_.back();
    turn.ended_by = by;
    turn.ended_utc_us = now.utc_us;
    turn.findings = findings;
    turn_since_us_ = now.monotonic_us;
    if (turn.number < terms_.turns && failure_.empty()) {
        GroupTurn next;
        next.number = turn.number + 1;
        next.rank = terms_.rank_of_turn(next.number);
        turns_.push_back(next);
        if (turns_.size() > kTurnsKept) turns_.erase(turns_.begin());
    }
    change();
}

// --- views and storage ---

GroupView GroupState::view_for(const GroupBeat& beat, Now now) const {
    GroupView view;
    view.utc_us = now.utc_us;
    view.revision = revision_;
    view.released_stage = released_stage_;
    view.released_utc_us = released_utc_us_;
    view.is_over = is_over();
    view.failure = failure_;
    view.missing = never_came_;
    for (const auto& [rank, member] : members_) {
        const bool is_planned = terms_.plan == kHandOver;  // owners are lost on purpose there
        if (member.was_gone && !is_planned) view.missing.push_back(rank);
    }
    std::sort(view.missing.begin(), view.missing.end());
    // One that came late, and is gone again, is in both lists.
    view.missing.erase(std::unique(view.missing.begin(), view.missing.end()), view.missing.end());
    if (beat.known_revision == revision_) return view;
    view.turns = turns_;
    view.peers.emplace();
    for (const auto& [rank, member] : members_) {
        view.peers->push_back(member.peer);
        if (member.was_gone) view.peers->back().state = "gone";
    }
    return view;
}

std::string GroupState::to_text() const { return to_json().dump(-1, ' ', false, Json::error_handler_t::replace); }

Json GroupState::to_json() const {
    Json json{{"format", 1},
              {"terms", json_of(terms_)},
              {"revision", revision_},
              {"released_stage", released_stage_},
              {"released_utc_us", released_utc_us_},
              {"never_came", never_came_},
              {"failure", failure_},
              {"members", Json::array()},
              {"gone", Json::array()},
              {"turns", Json::array()}};
    for (const auto& [rank, member] : members_) {
        json["members"].push_back(json_of(member.peer));
        if (member.was_gone) json["gone"].push_back(rank);
    }
    for (const GroupTurn& turn : turns_) json["turns"].push_back(json_of(turn));
    if (left_) json["left"] = left_->to_json();
    return json;
}

std::optional<GroupState> GroupState::from_text(const std::string& text, Now now) {
    GroupState state(now);
    try {
        state.read(parse_group_json(text), now);
    } catch (const Json::exception&) {
        return std::nullopt;
    }
    if (!state.is_allowed()) return std::nullopt;
    if (state.terms_.plan == kHandOver && state.turns_.empty()) state.begin_turns(now);
    if (state.is_over()) state.over_since_us_ = now.monotonic_us;
    return state;
}

void GroupState::read(const Json& json, Now now) {
    terms_ = terms_of(json.at("terms"));
    has_terms_ = true;
    first_beat_us_ = turn_since_us_ = now.monotonic_us;
    revision_ = json.at("revision").get<std::uint64_t>();
    released_stage_ = json.at("released_stage").get<std::uint32_t>();
    released_utc_us_ = json.at("released_utc_us").get<std::uint64_t>();
    never_came_ = json.at("never_came").get<std::vector<std::uint32_t>>();
    failure_ = json.at("failure").get<std::string>();
    for (const Json& member : json.at("members")) {
        const GroupPeer peer = peer_of(member);
        members_[peer.rank] = {peer, now.monotonic_us};
    }
    if (json.contains("gone")) {
        for (const Json& gone : json["gone"]) {
            const auto member = members_.find(gone.get<std::uint32_t>());
            if (member != members_.end()) member->second.was_gone = member->second.is_lost = true;
        }
    }
    for (const Json& turn : json.at("turns")) turns_.push_back(turn_of(turn));
    if (!json.contains("left")) return;
    left_ = std::make_unique<GroupState>(now);
    left_->read(json["left"], now);
}

// A disk may have changed what it keeps.
bool GroupState::is_allowed() const {
    const auto is_rank = [this](std::uint32_t rank) { return rank < terms_.of; };
    if (left_ && (left_->terms_.plan == kHandOver || !left_->is_allowed())) return false;
    return are_allowed(terms_) && turns_.size() <= kTurnsKept && std::all_of(never_came_.begin(), never_came_.end(), is_rank) &&
           std::all_of(members_.begin(), members_.end(), [&](const auto& each) { return is_rank(each.first); }) &&
           std::all_of(turns_.begin(), turns_.end(),
                       [&](const GroupTurn& turn) { return is_rank(turn.rank) && turn.number >= 1 && turn.number <= terms_.turns; });
}

}  // namespace cli
