#include "cli/group/group_member.hpp"

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "sim/errors.hpp"
#include "sim/version.hpp"
#include "ums/base/machine.hpp"
#include "ums/base/process_pause.hpp"
#include "ums/base/unfinished_file.hpp"
#include "ums/base/units.hpp"

namespace cli {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLookAgain{50};
constexpr milliseconds kFarewell{5000};
constexpr std::uint64_t kRestartMs = 10'000;  // a witness that is restarted is back by then
constexpr std::uint32_t kMainRunStage = 2;    // the meeting before the first main run
// How long an owner that has woken up writes before it asks whether it still owns the files.
constexpr milliseconds kZombieTime{2000};

std::uint64_t drawn_number() {
    std::random_device device;
    return std::max<std::uint64_t>((static_cast<std::uint64_t>(device()) << 32) | device(), 1);
}

std::optional<GroupPeer> peer_of_rank(const GroupView& view, std::uint32_t rank) {
    if (!view.peers) return std::nullopt;
    const auto found = std::find_if(view.peers->begin(), view.peers->end(), [rank](const GroupPeer& peer) { return peer.rank == rank; });
    return found == view.peers->end() ? std::nullopt : std::optional(*found);
}

// An owner's log ends where the next owner found its end; for the last owner, no one has reported that yet.
std::vector<sim::KnownOwner> owners_before(const std::vector<GroupTurn>& turns, std::uint32_t number) {
    std::vector<sim::KnownOwner> owners;
    for (const GroupTurn& turn : turns) {
        if (turn.number >= number || turn.incarnation == 0) continue;
        if (!owners.empty()) owners.back().last_lsn = turn.found_lsn;
        owners.push_back({turn.rank, turn.host, turn.incarnation, turn.first_vlf, turn.ended_utc_us, turn.clock_offset_us, 0,
                          turn.ended_by == "in-order"});
    }
    return owners;
}

}  // namespace

GroupMember::GroupMember(GroupSettings settings, const WitnessAddress& address, const TlsKeys& keys, std::vector<std::string> command_line)
    : settings_(std::move(settings)),
      command_line_(std::move(command_line)),
      session_(drawn_number()),
      random_(drawn_number()),
      link_(address, keys, first_beat(), [this] { on_beat(); }) {
    link_.start();
}

GroupMember::~GroupMember() = default;

GroupBeat GroupMember::first_beat() const {
    GroupBeat beat;
    beat.group = settings_.name;
    beat.terms = settings_.terms;
    beat.rank = settings_.rank;
    beat.session = session_;
    beat.host = ums::this_machine().host_name;
    return beat;
}

std::string GroupMember::text() const {
    std::string text = fmt::format("{}, {}, rank {} of {} (by {})", settings_.name, settings_.terms.plan, settings_.rank,
                                   settings_.terms.of, settings_.rank_from);
    if (turn_ != 0) text += fmt::format(", turn {} of {}", turn_.load(), settings_.terms.turns);
    return text;
}

// --- coming and going ---

void GroupMember::refuse(const std::string& why) const {
    throw sim::EnvironmentError(fmt::format("--group {} at the witness {}: {}", settings_.name, link_.name(), why));
}

void GroupMember::check(const GroupLink::Knowledge& known, std::uint64_t silent_since_ns) const {
    if (!known.problem.empty()) refuse(known.problem);
    const std::uint64_t silent_ns = clock_.now_ns() - silent_since_ns;
    const bool is_late = silent_ns > settings_.terms.wait_ms * ums::kNsPerMs;
    // The others wait for this run: it must not give up because the witness is being restarted. But its address may be wrong.
    const bool is_unknown = known.beats == 0 && silent_ns > std::min(settings_.terms.lease_ms, kRestartMs) * ums::kNsPerMs;
    if (!known.trouble.empty() && (is_unknown || is_late)) refuse(known.trouble);
    if (known.view.is_rank_taken && is_late) refuse(taken_text());
}

std::string GroupMember::taken_text() const {
    return fmt::format("another process is or was rank {}, and the group has not ended", settings_.rank);
}

void GroupMember::join(const GracefulStop& stop) {
    const std::uint64_t begun_ns = clock_.now_ns();
    for (;;) {
        const GroupLink::Knowledge known = link_.knowledge();
        check(known, begun_ns);
        if (known.beats > 0 && !known.view.is_rank_taken) return;
        if (known.view.is_over || stop.wait(kLookAgain)) return;
    }
}

std::optional<std::uint32_t> GroupMember::wait_for_turn(const GracefulStop& stop) {
    std::uint64_t heard_ns = clock_.now_ns();
    std::uint64_t beats = 0;
    while (!stop.wait(kLookAgain)) {
        const GroupLink::Knowledge known = link_.knowledge();
        if (known.beats != beats && !known.view.is_rank_taken) heard_ns = clock_.now_ns();
        beats = known.beats;
        check(known, heard_ns);
        if (known.view.is_over) return std::nullopt;
        if (known.view.turns.empty()) continue;
        const GroupTurn& turn = known.view.turns.back();
        if (turn.rank != settings_.rank || !turn.ended_by.empty() || turn.number <= ended_turn_) continue;
        if (turn.session == session_) return turn.number;
        link_.tell([&](GroupBeat& beat) {
            beat.turn = turn.number;
            beat.is_turn_over = false;
            beat.findings = 0;
            beat.run_id = 0;
            beat.incarnation = beat.first_vlf = 0;
            beat.found_lsn = 0;
        });
    }
    return std::nullopt;
}

void GroupMember::begin_turn(std::uint32_t turn, std::uint64_t main_run_s) {
    {
        const std::lock_guard guard(mutex_);
        main_run_s_ = main_run_s;
        taken_over_.reset();
        verified_ = {};
    }
    turn_ = turn;
    link_.tell([](GroupBeat& beat) { beat.state = "working"; });
}

// A host that stood still may end its work before a beat tells it that the files are another host's: what it has read since, or could not
// write, is not the storage's fault, and its turn has no result. The link may just be letting it write as a zombie.
void GroupMember::confirm_turn() {
    if (turn_ == 0) return;
    link_.tell([](GroupBeat& /*beat*/) {});
    static_cast<void>(link_.wait_for_answer(milliseconds(std::min(settings_.terms.lease_ms, kRestartMs)) + kZombieTime));
    watch_fence();
}

void GroupMember::end_turn(std::uint64_t findings, const std::string& failure) {
    ended_turn_ = turn_.exchange(0);
    fate_ns_ = 0;
    link_.tell([&](GroupBeat& beat) {
        beat.is_turn_over = true;
        beat.findings = findings;
        beat.failure = failure.substr(0, kGroupTextMax);
        beat.state = "joined";
    });
    static_cast<void>(link_.wait_for_answer(milliseconds(settings_.terms.wait_ms)));
}

bool GroupMember::has_any_turn_findings() const {
    const GroupLink::Knowledge known = link_.knowledge();
    return std::any_of(known.view.turns.begin(), known.view.turns.end(), [](const GroupTurn& turn) { return turn.findings > 0; });
}

void GroupMember::end(std::uint64_t findings) {
    link_.tell([&](GroupBeat& beat) {
        beat.state = "done";
        beat.findings = std::max(beat.findings, findings);  // those of a turn, if the witness has not heard of its end yet
    });
    static_cast<void>(link_.wait_for_answer(kFarewell));
}

void GroupMember::on_freeze(std::function<void()> release) {
    const std::lock_guard guard(mutex_);
    release_ = std::move(release);
}

// --- what the simulation asks ---

void GroupMember::begins(std::uint64_t run_id, std::vector<std::string> paths) {
    if (paths.size() > kGroupFilesMax) paths.resize(kGroupFilesMax);
    for (std::string& path : paths) path = path.substr(0, kGroupTextMax);
    {
        const std::lock_guard guard(mutex_);
        run_id_ = run_id;
    }
    const bool is_new = wanted_run_id() == 0;
    link_.tell([&](GroupBeat& beat) {
        beat.run_id = run_id;
        beat.files = std::move(paths);
        beat.state = "working";
        if (is_new) beat.incarnation = beat.first_vlf = 1;
    });
}

bool GroupMember::may_pass(Meeting meeting, std::uint32_t cycle) {
    const std::uint64_t now_ns = clock_.now_ns();
    if (settings_.is_hand_over()) {
        if (meeting == Meeting::begin && turn_ == 1) return may_make_files(now_ns);
        if (meeting == Meeting::main_run) choose_fate(now_ns);
        return true;
    }
    const std::uint32_t stage = meeting == Meeting::begin ? 1 : 2 * cycle + (meeting == Meeting::final_audit ? 1 : 0);
    if (asked_stage_.exchange(stage) != stage) {
        asked_ns_ = now_ns;
        link_.tell([stage](GroupBeat& beat) { beat.stage = std::max(beat.stage, stage); });
    }
    if (link_.released_stage() >= stage) return true;
    // The witness gives up on members that do not come, and knows of the others that they are at work, however long that takes. If the
    // witness itself does not come back, this run continues without the meeting.
    if (now_ns <= std::max(asked_ns_.load(), link_.heard_ns()) + patience_ns()) return false;
    const GroupLink::Knowledge known = link_.knowledge();
    // It has taken this one's place while this one was cut off or stood still, and may be at work on the same files.
    if (meeting == Meeting::begin && known.view.is_rank_taken) refuse(taken_text());
    if (may_yet_answer(known, now_ns)) return false;
    has_met_nobody_ = true;
    return true;
}

// While this process stood still, it did not ask the witness, which may have been there all the time.
bool GroupMember::may_yet_answer(const GroupLink::Knowledge& known, std::uint64_t now_ns) const {
    if (!known.problem.empty() || known.view.is_rank_taken) return false;
    const std::uint64_t least_ns = std::min(settings_.terms.lease_ms, kRestartMs) * ums::kNsPerMs;
    return known.failed_ns == 0 || now_ns <= known.failed_ns + least_ns;
}

// Once the witness knows of this run. If this host is lost then, the next owner knows whose files it is to find; if no run is known, there
// are none.
bool GroupMember::may_make_files(std::uint64_t now_ns) {
    std::uint64_t none = 0;
    asked_ns_.compare_exchange_strong(none, now_ns);
    if (now_ns - asked_ns_ > patience_ns()) return true;
    const GroupView view = link_.knowledge().view;
    const std::lock_guard guard(mutex_);
    return std::any_of(view.turns.begin(), view.turns.end(),
                       [this](const GroupTurn& turn) { return turn.session == session_ && turn.run_id == run_id_; });
}

void GroupMember::choose_fate(std::uint64_t now_ns) {
    const std::string planned = settings_.terms.end_of_turn(turn_);
    if (fate_ns_ != 0 || (planned != "kill" && planned != "fence")) return;
    const std::lock_guard guard(mutex_);
    const std::uint64_t length_ns = main_run_s_ * ums::kNsPerSecond;
    fate_ns_ = now_ns + length_ns * 3 / 10 + random_.below(length_ns * 5 / 10 + 1);
}

std::uint64_t GroupMember::patience_ns() const { return (settings_.terms.wait_ms + settings_.terms.lease_ms) * ums::kNsPerMs; }

// Uses the witness's clock, so that bursts coincide on all hosts, whatever their own clocks say.
std::uint64_t GroupMember::rest_us() const {
    return settings_.terms.rest_us(settings_.rank, clock_.utc_us() + static_cast<std::uint64_t>(link_.clock_offset_us()));
}

std::uint64_t GroupMember::wanted_run_id() const {
    if (settings_.only_reads()) {
        // Before its main run, the owner has not created all of its files.
        const std::optional<GroupPeer> owner = peer_of_rank(link_.knowledge().view, 0);
        return owner && owner->stage >= kMainRunStage ? owner->run_id : 0;
    }
    if (!settings_.is_hand_over() || turn_ < 2) return 0;
    const GroupLink::Knowledge known = link_.knowledge();
    for (auto turn = known.view.turns.rbegin(); turn != known.view.turns.rend(); ++turn) {
        if (turn->number < turn_ && turn->run_id != 0) return turn->run_id;
    }
    return 0;
}

void GroupMember::verified(const sim::TakeOverResult& what) {
    const std::lock_guard guard(mutex_);
    verified_ = what;
}

void GroupMember::takes_over(sim::TakeOver what) {
    link_.tell([&](GroupBeat& beat) {
        beat.run_id = what.run_id;
        beat.incarnation = what.incarnation;
        beat.first_vlf = what.first_vlf;
        beat.found_lsn = what.last_lsn;
    });
    const std::lock_guard guard(mutex_);
    taken_over_ = std::move(what);
}

std::optional<sim::RunGroup::Coherence> GroupMember::reads_with() const {
    if (!settings_.only_reads()) return std::nullopt;
    return settings_.terms.coherence == "close-to-open" ? Coherence::close_to_open : Coherence::strict;
}

sim::RunGroup::Owner GroupMember::owner() const {
    const GroupLink::Knowledge known = link_.knowledge();
    const std::optional<GroupPeer> owner = peer_of_rank(known.view, 0);
    const bool is_over = owner && (owner->state == "gone" || owner->state == "done");
    if (!is_over && clock_.now_ns() - known.heard_ns > patience_ns()) return Owner::unknown;
    if (!owner || owner->state == "gone") return Owner::lost;
    return owner->state == "done" ? Owner::ended : Owner::works;
}

void GroupMember::has_read(const sim::ReaderResult& what) {
    const std::lock_guard guard(mutex_);
    read_ = what;
}

sim::GroupKnowledge GroupMember::knowledge() const {
    const GroupLink::Knowledge known = link_.knowledge();
    sim::GroupKnowledge group;
    group.rank = settings_.rank;
    group.host = ums::this_machine().host_name;
    group.is_reading = settings_.only_reads();
    if (const std::optional<GroupPeer> owner = peer_of_rank(known.view, 0); owner && group.is_reading) {
        group.owners.push_back({0, owner->host, 1, 1, 0, owner->clock_offset_us});
    }
    group.members = members_of(known.view);
    group.clock_offset_us = known.clock_offset_us;
    group.is_taking_over = settings_.is_hand_over() && turn_ > 1;
    if (settings_.is_hand_over()) group.owners = owners_before(known.view.turns, turn_);
    const std::lock_guard guard(mutex_);
    group.run_id = run_id_;
    if (group.is_reading && !group.owners.empty()) group.run_id = peer_of_rank(known.view, 0)->run_id;
    group.taken_over = taken_over_;
    return group;
}

void GroupMember::explain(sim::Finding& finding) const { sim::explain(finding, knowledge()); }

// --- how turns end ---

void GroupMember::on_beat() {
    if (settings_.only_reads()) follow_owner();
    if (!settings_.is_hand_over() || turn_ == 0) return;
    meet_fate();
    watch_fence();
}

// Once the main run has begun, a reader joins every meeting that the owner reaches, so that it never makes the owner wait.
void GroupMember::follow_owner() {
    const std::optional<GroupPeer> owner = peer_of_rank(link_.knowledge().view, 0);
    const std::uint32_t own_stage = link_.beat().stage;
    if (!owner || own_stage < kMainRunStage || owner->stage <= own_stage) return;
    link_.tell([&](GroupBeat& beat) { beat.stage = owner->stage; });
}

void GroupMember::meet_fate() {
    if (fate_ns_ == 0 || clock_.now_ns() < fate_ns_) return;
    fate_ns_ = 0;
    if (settings_.terms.end_of_turn(turn_) == "kill") ums::kill_this_process();
    freeze();
}

void GroupMember::freeze() {
    std::uint64_t main_run_s = 0;
    {
        const std::lock_guard guard(mutex_);
        if (release_) release_();
        main_run_s = main_run_s_;
    }
    link_.hang_up();
    // Outlasts the lease, and lets the next owner get to work.
    const milliseconds pause(settings_.terms.lease_ms + main_run_s * 500 + 1000);
    if (!ums::stop_this_process(pause)) return;
    std::this_thread::sleep_for(kZombieTime);
}

// Why this run's turn was taken from it; empty: it was not. Another process can have this rank only if this one was silent for the lease.
std::string GroupMember::taken_by() const {
    const GroupView view = link_.knowledge().view;
    if (view.is_rank_taken) return "another process has its rank";
    const auto own = std::find_if(view.turns.begin(), view.turns.end(),
                                  [this](const GroupTurn& turn) { return turn.number == turn_ && turn.session == session_; });
    return own == view.turns.end() ? std::string() : own->ended_by;
}

// Another host owns the files now: finishing anything in order would write to them.
void GroupMember::watch_fence() {
    const std::string why = taken_by();
    if (why.empty()) return;
    fmt::print(stderr,
               "ioproof: turn {} was taken from rank {} ({}); this process ends its work without writing anything more, and waits for its "
               "next turn. What it has found since then does not count: the files were another host's\n",
               turn_.load(), settings_.rank, why);
    ums::remove_unfinished_files();
    ums::begin_this_process_again(command_line_);
    ums::kill_this_process();
}

}  // namespace cli
