#include "cli/group/group_state.hpp"

#include "tests/cli/group/one_group.hpp"
#include "tests/support/catch.hpp"

using cli::GroupBeat;
using cli::GroupState;
using cli::GroupView;
using group_test::beat_of;
using group_test::kSecondUs;
using group_test::owner;
using group_test::Witness;

TEST_CASE("side-by-side runs are released when all of them have arrived") {
    Witness witness;
    GroupBeat first = beat_of(0, 3, "side-by-side", 10);
    first.stage = 2;
    GroupBeat second = beat_of(1, 3, "side-by-side", 11);
    second.stage = 2;
    GroupBeat third = beat_of(2, 3, "side-by-side", 12);
    third.stage = 1;
    CHECK(witness.hear(first).released_stage == 0);
    CHECK(witness.hear(second).released_stage == 0);
    CHECK(witness.hear(third).released_stage == 1);
    third.stage = 2;
    const GroupView view = witness.hear(third);
    CHECK(view.released_stage == 2);
    CHECK(view.released_utc_us == 5000 * kSecondUs);
    REQUIRE(view.peers);
    CHECK(view.peers->at(1).run_id == 101);
    CHECK(view.missing.empty());
    CHECK(witness.hear(first).released_stage == 2);
}

TEST_CASE("a rank that never arrives is waited for and then named") {
    Witness witness;
    GroupBeat first = beat_of(0, 2, "side-by-side", 10);
    first.stage = 1;
    CHECK(witness.hear(first).missing.empty());
    witness.pass(59);
    CHECK(witness.hear(first).released_stage == 0);
    witness.pass(2);
    const GroupView view = witness.hear(first);
    CHECK(view.missing == std::vector<std::uint32_t>{1});
    CHECK(view.released_stage == 1);
}

TEST_CASE("a rank that came too late and is gone again is named once") {
    Witness witness;
    witness.hear(beat_of(0, 2, "side-by-side", 10));
    witness.pass(61);
    witness.hear(beat_of(0, 2, "side-by-side", 10));
    witness.hear(beat_of(1, 2, "side-by-side", 11));
    witness.pass(11);
    CHECK(witness.hear(beat_of(0, 2, "side-by-side", 10)).missing == std::vector<std::uint32_t>{1});
}

TEST_CASE("a run that is silent for longer than the lease is gone, and does not delay the others") {
    Witness witness;
    GroupBeat first = beat_of(0, 2, "side-by-side", 10);
    GroupBeat second = beat_of(1, 2, "side-by-side", 11);
    first.stage = second.stage = 1;
    witness.hear(first);
    witness.hear(second);
    first.stage = 2;
    witness.pass(9);
    CHECK(witness.hear(first).released_stage == 1);
    witness.pass(2);
    const GroupView view = witness.hear(first);
    CHECK(view.released_stage == 2);
    CHECK(view.missing == std::vector<std::uint32_t>{1});
    REQUIRE(view.peers);
    CHECK(view.peers->at(1).state == "gone");
    // The run was only disconnected.
    CHECK(witness.hear(second).missing.empty());
}

TEST_CASE("a run without which the others have begun their audit stays named when it is back, also after a restart of the witness") {
    Witness witness;
    GroupBeat first = beat_of(0, 2, "side-by-side", 10);
    GroupBeat second = beat_of(1, 2, "side-by-side", 11);
    first.stage = second.stage = 2;
    witness.hear(first);
    witness.hear(second);
    first.stage = 3;
    witness.pass(11);
    CHECK(witness.hear(first).released_stage == 3);
    CHECK(witness.hear(second).missing == std::vector<std::uint32_t>{1});  // it was only disconnected, and may have written
    witness.begin_again();
    CHECK(witness.hear(first).missing == std::vector<std::uint32_t>{1});
}

TEST_CASE("a run that was lost after the audit had begun stays named when the witness is restarted, until it is back") {
    Witness witness;
    GroupBeat first = beat_of(0, 2, "side-by-side", 10);
    GroupBeat second = beat_of(1, 2, "side-by-side", 11);
    first.stage = second.stage = 3;
    witness.hear(first);
    witness.hear(second);
    witness.pass(11);
    CHECK(witness.hear(first).missing == std::vector<std::uint32_t>{1});
    witness.begin_again();
    const GroupView view = witness.hear(first);
    CHECK(view.missing == std::vector<std::uint32_t>{1});
    REQUIRE(view.peers);
    CHECK(view.peers->at(1).state == "gone");
    CHECK(witness.hear(second).missing.empty());
}

TEST_CASE("a beat that arrives after later ones, over a broken connection, changes nothing") {
    Witness witness;
    GroupBeat first = beat_of(0, 2, "side-by-side", 10);
    GroupBeat second = beat_of(1, 2, "side-by-side", 11);
    first.stage = second.stage = 3;
    second.state = "working";
    second.number = 7;
    witness.hear(first);
    witness.hear(second);
    const GroupBeat late = second;
    second.state = "done";
    second.number = 8;
    witness.hear(second);
    witness.hear(late);
    witness.pass(11);
    const GroupView view = witness.hear(first);
    CHECK(view.missing.empty());
    REQUIRE(view.peers);
    CHECK(view.peers->at(1).state == "done");
}

TEST_CASE("runs with different terms do not form a group") {
    Witness witness;
    witness.hear(beat_of(0, 2, "side-by-side", 10));
    CHECK_THAT(witness.hear(beat_of(1, 3, "side-by-side", 11)).problem,
               ContainsSubstring("has other settings") && ContainsSubstring("name another group for another test"));
    CHECK(witness.hear(beat_of(1, 2, "side-by-side", 11)).problem.empty());
}

TEST_CASE("a run with other terms that keeps asking does not keep a dead group alive") {
    Witness witness;
    witness.hear(beat_of(0, 2, "side-by-side", 10));  // then all of them are killed
    GroupBeat other = beat_of(0, 3, "side-by-side", 20);
    for (int i = 0; i < 10; ++i) {
        CHECK_FALSE(witness.hear(other).problem.empty());
        witness.pass(11);
    }
    CHECK(witness.hear(other).problem.empty());
}

TEST_CASE("two processes cannot have the same rank unless the first is gone") {
    Witness witness;
    witness.hear(beat_of(0, 2, "side-by-side", 10));
    CHECK(witness.hear(beat_of(0, 2, "side-by-side", 20)).is_rank_taken);
    witness.pass(11);
    CHECK_FALSE(witness.hear(beat_of(0, 2, "side-by-side", 20)).is_rank_taken);
    CHECK(witness.hear(beat_of(0, 2, "side-by-side", 10)).is_rank_taken);
}

TEST_CASE("the files are handed over in order, from rank to rank, until the last turn is over") {
    Witness witness;
    for (std::uint32_t turn = 1; turn <= 4; ++turn) {
        const std::uint32_t rank = (turn - 1) % 2;
        const GroupView other = witness.hear(owner(1 - rank, 11 - rank, turn));
        CHECK(other.turns.back().session == 0);  // not its turn
        GroupBeat beat = owner(rank, 10 + rank, turn);
        CHECK(witness.hear(beat).turns.back().session == 10 + rank);
        beat.is_turn_over = true;
        const GroupView view = witness.hear(beat);
        CHECK(view.turns.at(turn - 1).ended_by == "in-order");
        CHECK(view.is_over == (turn == 4));
    }
}

TEST_CASE("the turn of an owner that is silent for the lease ends, as the planned change or as lost") {
    Witness witness;
    const bool is_planned = GENERATE(true, false);
    const std::vector<std::string> changes{is_planned ? "fence" : "in-order"};
    witness.hear(owner(0, 10, 1, changes));
    witness.hear(owner(1, 11, 0, changes));
    witness.pass(9);
    CHECK(witness.hear(owner(1, 11, 2, changes)).turns.size() == 1);
    witness.pass(2);
    const GroupView view = witness.hear(owner(1, 11, 2, changes));
    REQUIRE(view.turns.size() == 2);
    CHECK(view.turns[0].ended_by == (is_planned ? "fence" : "lost"));
    CHECK(witness.hear(owner(1, 11, 2, changes)).revision > view.revision);  // now rank 1 owns the turn
    // The old owner wakes up, learns that its turn is over, and cannot end it again.
    GroupBeat zombie = owner(0, 10, 1, changes);
    zombie.is_turn_over = true;
    CHECK(witness.hear(zombie).turns.at(0).ended_by == (is_planned ? "fence" : "lost"));
    CHECK(witness.hear(zombie).turns.size() == 2);
}

TEST_CASE("a turn that no rank takes ends the group and names the rank") {
    Witness witness;
    GroupBeat first = owner(0, 10, 1);
    witness.hear(first);
    first.is_turn_over = true;
    witness.hear(first);
    witness.pass(61);
    const GroupView view = witness.hear(first);
    CHECK(view.is_over);
    CHECK(view.missing == std::vector<std::uint32_t>{1});
    CHECK(view.failure == "rank 1 did not come for turn 2 within 60 s");
}

TEST_CASE("a hand-over whose last owner is lost has not reached its end, and keeps its name") {
    Witness witness;
    GroupBeat last = owner(0, 10, 1);
    GroupBeat other = owner(1, 11, 0);
    last.terms.turns = other.terms.turns = 1;
    witness.hear(last);
    witness.hear(other);
    witness.pass(11);
    const GroupView view = witness.hear(other);
    CHECK(view.is_over);
    CHECK(view.failure == "turn 1 of rank 0 on node-0, the last one, was lost");
    if (GENERATE(true, false)) witness.begin_again();
    witness.pass(100'000);
    GroupBeat restarted = last;
    restarted.session = 30;
    CHECK(witness.hear(restarted).failure == view.failure);
}

TEST_CASE("an owner that found something ends the group") {
    Witness witness;
    GroupBeat first = owner(0, 10, 1);
    witness.hear(first);
    first.is_turn_over = true;
    first.findings = 2;
    const GroupView view = witness.hear(first);
    CHECK(view.is_over);
    CHECK(view.failure == "turn 1 of rank 0 on node-0 ended with 2 findings");
}

TEST_CASE("a restarted witness knows whose turn it is, and does not end it for its own absence") {
    Witness witness;
    witness.hear(owner(0, 10, 1));
    witness.pass(9);
    witness.begin_again();
    const GroupView other = witness.hear(owner(1, 11, 2));
    REQUIRE(other.turns.size() == 1);
    CHECK(other.turns[0].session == 10);
    witness.pass(9);
    GroupBeat first = owner(0, 10, 1);
    first.is_turn_over = true;
    CHECK(witness.hear(first).turns.size() == 2);
    witness.begin_again();
    CHECK(witness.hear(owner(1, 11, 2)).turns.back().session == 11);
}

TEST_CASE("a rank restarted after the end learns that the group is over, and the name can be reused later") {
    Witness witness;
    for (std::uint32_t turn = 1; turn <= 4; ++turn) {
        GroupBeat beat = owner((turn - 1) % 2, 10 + (turn - 1) % 2, turn);
        witness.hear(beat);
        beat.is_turn_over = true;
        witness.hear(beat);
    }
    witness.pass(30);
    CHECK(witness.hear(owner(0, 30, 0)).is_over);
    witness.pass(61);
    const GroupView view = witness.hear(owner(0, 40, 1));
    CHECK_FALSE(view.is_over);
    CHECK(view.turns.size() == 1);
}

TEST_CASE("beats and views are decoded as they were encoded, and anything else is refused") {
    GroupBeat beat = owner(1, 11, 2, {"kill", "fence"});
    beat.files = {"/a", "/b\xff"};
    beat.clock_offset_us = -5;
    const auto again = cli::decode_beat(cli::encode(beat));
    REQUIRE(again);
    CHECK(again->terms == beat.terms);
    CHECK(again->clock_offset_us == -5);
    CHECK(again->files.size() == 2);
    beat.rank = 2;
    CHECK_FALSE(cli::decode_beat(cli::encode(beat)));
    beat.rank = 1;
    beat.group = "../x";
    CHECK_FALSE(cli::decode_beat(cli::encode(beat)));
    CHECK_FALSE(cli::decode_beat("[1,2"));
    CHECK_FALSE(cli::decode_beat("{\"group\":7}"));
    CHECK_FALSE(cli::decode_view("{}"));
}

TEST_CASE("later owners, and views across a restart, learn where an owner found the end of the log") {
    Witness witness;
    GroupBeat first = owner(0, 10, 1);
    first.run_id = 5;
    first.incarnation = first.first_vlf = 1;
    witness.hear(first);
    first.is_turn_over = true;
    witness.hear(first);
    GroupBeat second = owner(1, 11, 2);
    second.run_id = 5;
    second.incarnation = 2;
    second.first_vlf = 65536;
    second.found_lsn = 0x2'0000'1234;
    const std::uint64_t before = witness.hear(owner(1, 11, 2)).revision;
    const GroupView view = witness.hear(second);
    CHECK(view.revision > before);
    REQUIRE(view.turns.size() == 2);
    CHECK(view.turns[0].found_lsn == 0);
    CHECK(view.turns[1].found_lsn == 0x2'0000'1234);
    const auto decoded = cli::decode_view(cli::encode(view));
    REQUIRE(decoded);
    CHECK(decoded->turns[1].found_lsn == 0x2'0000'1234);
    CHECK(cli::decode_beat(cli::encode(second))->found_lsn == 0x2'0000'1234);
    witness.begin_again();
    second.known_revision = 0;
    CHECK(witness.hear(second).turns.at(1).found_lsn == 0x2'0000'1234);
}

TEST_CASE("a group that is kept with terms beyond the limits, or with ranks that it has not, is not taken up") {
    const GroupState::Now now{1, 1};
    GroupState state(now);
    CHECK(state.take(beat_of(1, 2, "side-by-side", 10), now).problem.empty());
    const std::string good = state.to_text();
    CHECK(GroupState::from_text(good, now));
    const auto changed = [&good](const std::string& from, const std::string& to) {
        std::string text = good;
        const std::size_t place = text.find(from);
        REQUIRE(place != std::string::npos);
        return text.replace(place, from.size(), to);
    };
    CHECK_FALSE(GroupState::from_text(changed("\"of\":2", "\"of\":0"), now));
    CHECK_FALSE(GroupState::from_text(changed("\"of\":2", "\"of\":4294967295"), now));
    CHECK_FALSE(GroupState::from_text(changed("\"rank\":1", "\"rank\":2"), now));
    CHECK_FALSE(GroupState::from_text(changed("\"never_came\":[]", "\"never_came\":[7]"), now));
    CHECK_FALSE(GroupState::from_text(changed("\"lease_ms\":10000", "\"lease_ms\":0"), now));
    CHECK_FALSE(GroupState::from_text("[]", now));
    CHECK_FALSE(GroupState::from_text(good.substr(1), now));
    const std::string nested = std::string(500'000, '[') + std::string(500'000, ']');
    CHECK_FALSE(GroupState::from_text(changed("\"changes\":[]", "\"changes\":" + nested), now));
}

TEST_CASE("members that name the last stage there can be are released there") {
    Witness witness;
    GroupBeat first = beat_of(0, 2, "side-by-side", 10);
    GroupBeat second = beat_of(1, 2, "side-by-side", 11);
    first.stage = second.stage = ~std::uint32_t{0};
    CHECK(witness.hear(first).released_stage == 0);
    const GroupView view = witness.hear(second);
    CHECK(view.released_stage == ~std::uint32_t{0});
    CHECK(view.released_utc_us != 0);
}
