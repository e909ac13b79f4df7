// Groups whose processes are restarted, and the next group of the same name.
#include <cstdint>
#include <string>
#include <vector>

#include "tests/cli/group/one_group.hpp"
#include "tests/support/catch.hpp"

using cli::GroupBeat;
using cli::GroupView;
using group_test::beat_of;
using group_test::Witness;

namespace {

// Three runs, all of which were cut off from the witness. The first one was lost meanwhile, and its restart has begun a new group.
struct CutOffRuns {
    CutOffRuns() {
        GroupBeat lost = beat_of(0, 3, "side-by-side", 10);
        lost.stage = second.stage = third.stage = 2;
        witness.hear(lost);
        witness.hear(second);
        CHECK(witness.hear(third).released_stage == 2);
        witness.pass(15);
        restarted.stage = 1;
        CHECK_FALSE(witness.hear(restarted).is_rank_taken);
    }

    Witness witness;
    GroupBeat second = beat_of(1, 3, "side-by-side", 11);
    GroupBeat third = beat_of(2, 3, "side-by-side", 12);
    GroupBeat restarted = beat_of(0, 3, "side-by-side", 20);
};

}  // namespace

TEST_CASE("once a group has met, no other process takes the place of one of its runs, which would meet nobody") {
    Witness witness;
    const bool is_done = GENERATE(true, false);
    GroupBeat first = beat_of(0, 2, "side-by-side", 10);
    GroupBeat second = beat_of(1, 2, "side-by-side", 11);
    first.stage = second.stage = 3;
    witness.hear(first);
    CHECK(witness.hear(second).released_stage == 3);
    if (is_done) second.state = "done";
    witness.hear(second);
    GroupBeat restarted = beat_of(1, 2, "side-by-side", 21);
    for (int i = 0; i < 3; ++i) {
        witness.pass(9);
        witness.hear(first);
        CHECK(witness.hear(restarted).is_rank_taken);
    }
    CHECK(witness.hear(first).missing.size() == (is_done ? 0U : 1U));
    // When the first one is gone, too, this begins a new group, which meets anew.
    witness.pass(11);
    restarted.stage = 1;
    const GroupView view = witness.hear(restarted);
    CHECK_FALSE(view.is_rank_taken);
    CHECK(view.released_stage == 0);
    CHECK(view.missing.empty());
    GroupBeat next = beat_of(0, 2, "side-by-side", 20);
    next.stage = 1;
    CHECK(witness.hear(next).released_stage == 1);
}

TEST_CASE("runs that a person stops before their group has met, and begins again, are waited for as if they had not been there before") {
    Witness witness;
    GroupBeat first = beat_of(0, 3, "side-by-side", 10);
    GroupBeat second = beat_of(1, 3, "side-by-side", 11);
    for (const char* state : {"working", "done"}) {
        first.state = second.state = state;
        witness.hear(first);
        witness.hear(second);
    }
    witness.pass(59);
    first = beat_of(0, 3, "side-by-side", 20);
    GroupBeat third = beat_of(2, 3, "side-by-side", 22);
    first.stage = third.stage = 1;
    witness.hear(first);
    CHECK(witness.hear(third).released_stage == 0);
    witness.pass(2);
    const GroupView view = witness.hear(first);
    CHECK(view.released_stage == 0);
    CHECK(view.missing.empty());
    witness.hear(third);
    second = beat_of(1, 3, "side-by-side", 21);
    second.stage = 1;
    CHECK(witness.hear(second).released_stage == 1);
}

TEST_CASE("runs that were all killed before their group had met, and begin again, wait for each other, and for one that was only cut off") {
    Witness witness;
    witness.hear(beat_of(0, 2, "side-by-side", 10));
    witness.hear(beat_of(1, 2, "side-by-side", 11));
    witness.pass(11);
    GroupBeat first = beat_of(0, 2, "side-by-side", 20);
    first.stage = 1;
    const GroupView view = witness.hear(first);
    CHECK(view.released_stage == 0);
    CHECK(view.missing.empty());
    const bool was_killed = GENERATE(true, false);
    GroupBeat second = beat_of(1, 2, "side-by-side", was_killed ? 21 : 11);
    second.stage = 1;
    CHECK(witness.hear(second).released_stage == 1);
    CHECK(witness.hear(first).missing.empty());
}

TEST_CASE("a process that replaces the only one of its group that had waited begins to wait, also for the first turn") {
    Witness witness;
    const bool is_hand_over = GENERATE(true, false);
    const auto beat_of_process = [&](std::uint64_t session) {
        GroupBeat beat = is_hand_over ? group_test::owner(1, session, 0) : beat_of(1, 2, "side-by-side", session);
        beat.stage = is_hand_over ? 0U : 1U;
        return beat;
    };
    witness.hear(beat_of_process(10));
    witness.pass(59);
    witness.hear(beat_of_process(20));
    witness.pass(2);
    const GroupView view = witness.hear(beat_of_process(20));
    CHECK(view.failure.empty());
    CHECK(view.missing.empty());
    CHECK(view.released_stage == 0);
    CHECK(witness.hear(beat_of_process(10)).is_rank_taken);
}

TEST_CASE("the last words of a run, repeated after its group has ended, do not join the next group of this name") {
    Witness witness;
    GroupBeat first = beat_of(0, 2, "side-by-side", 10);
    GroupBeat second = beat_of(1, 2, "side-by-side", 11);
    first.stage = second.stage = 3;
    for (const char* state : {"working", "done"}) {
        first.state = second.state = state;
        witness.hear(first);
        witness.hear(second);
    }
    GroupBeat next = beat_of(0, 2, "side-by-side", 20);
    next.stage = 1;
    CHECK(witness.hear(next).released_stage == 0);
    CHECK(witness.hear(second).problem.empty());
    CHECK(witness.hear(next).released_stage == 0);
    CHECK_FALSE(witness.hear(beat_of(1, 2, "side-by-side", 21)).is_rank_taken);
}

TEST_CASE("runs that were all cut off from the witness learn that one of them was lost, although its restart has begun a new group") {
    CutOffRuns runs;
    auto& [witness, second, third, restarted] = runs;
    witness.hear(second);
    witness.hear(third);
    second.stage = third.stage = 3;
    CHECK(witness.hear(second).released_stage == 2);
    const GroupView view = witness.hear(third);
    CHECK(view.released_stage == 3);
    CHECK(view.missing == std::vector<std::uint32_t>{0});
    // They do not take part in the new group.
    CHECK(witness.hear(restarted).released_stage == 0);
    third.state = "done";
    CHECK(witness.hear(third).missing == std::vector<std::uint32_t>{0});
    CHECK(witness.hear(restarted).released_stage == 0);
}

TEST_CASE("runs that were cut off learn that one of them was lost, although the witness was restarted after the next group had begun") {
    CutOffRuns runs;
    auto& [witness, second, third, restarted] = runs;
    witness.begin_again();
    second.stage = third.stage = 3;
    witness.pass(9);
    CHECK(witness.hear(second).released_stage == 2);
    CHECK(witness.hear(third).released_stage == 2);  // the lost one has another lease
    witness.pass(2);
    witness.hear(second);
    const GroupView view = witness.hear(third);
    CHECK(view.released_stage == 3);
    CHECK(view.missing == std::vector<std::uint32_t>{0});
    // They do not take part in the new group, and what they reach is kept, too.
    CHECK(witness.hear(restarted).released_stage == 0);
    witness.begin_again();
    CHECK(witness.hear(third).missing == std::vector<std::uint32_t>{0});
}

TEST_CASE("a process that is restarted long after a hand-over has failed does not begin another one, which would delete the evidence") {
    Witness witness;
    GroupBeat first = group_test::owner(0, 10, 1);
    witness.hear(first);
    first.is_turn_over = true;
    first.findings = 2;
    CHECK(witness.hear(first).is_over);
    if (GENERATE(true, false)) witness.begin_again();
    witness.pass(100'000);
    const GroupView view = witness.hear(group_test::owner(0, 30, 0));
    CHECK(view.is_over);
    CHECK(view.failure == "turn 1 of rank 0 on node-0 ended with 2 findings");
}

TEST_CASE("an owner that comes long after the one before it was lost, with nobody else in the group, takes over its files") {
    Witness witness;
    const auto only = [](std::uint64_t session, std::uint32_t turn) {
        GroupBeat beat = group_test::owner(0, session, turn, {"loss"});
        beat.terms.of = 1;
        return beat;
    };
    witness.hear(only(10, 1));
    witness.pass(100'000);
    const GroupView view = witness.hear(only(30, 0));
    REQUIRE(view.turns.size() == 2);
    CHECK(view.turns[0].ended_by == "loss");
    CHECK(witness.hear(only(30, 2)).turns[1].session == 30);
}

TEST_CASE("a hand-over that has created no files does not keep its name") {
    Witness witness;
    GroupBeat first = group_test::owner(0, 10, 1);
    first.run_id = 0;
    witness.hear(first);
    first.is_turn_over = true;
    first.failure = "exit code 3";
    CHECK(witness.hear(first).is_over);
    witness.pass(61);
    CHECK_FALSE(witness.hear(group_test::owner(0, 30, 0)).is_over);
}

TEST_CASE("a process that is restarted as an owner that was lost cannot end the turn of that owner in order") {
    Witness witness;
    GroupBeat first = group_test::owner(0, 10, 1);
    first.run_id = 5;
    witness.hear(first);
    witness.pass(11);
    GroupBeat restarted = group_test::owner(0, 20, 1);
    restarted.is_turn_over = true;
    const GroupView view = witness.hear(restarted);
    CHECK_FALSE(view.is_rank_taken);
    REQUIRE(view.turns.size() == 2);
    CHECK(view.turns[0].session == 10);
    CHECK(view.turns[0].ended_by == "lost");
}

TEST_CASE("an owner that begins again while its rank is still taken learns of each turn how it ended, if the hand-over is over") {
    Witness witness;
    const std::vector<std::string> changes{"fence"};
    const GroupBeat frozen = group_test::owner(0, 10, 1, changes);
    witness.hear(frozen);
    witness.pass(11);
    GroupBeat second = group_test::owner(1, 11, 2, changes);
    CHECK(witness.hear(second).turns.size() == 2);
    witness.hear(second);
    witness.hear(frozen);  // it has woken up, and is heard until it begins again
    const GroupBeat restarted = group_test::owner(0, 20, 0, changes);
    CHECK(witness.hear(restarted).turns.empty());
    second.is_turn_over = true;
    second.findings = 2;
    CHECK(witness.hear(second).is_over);
    const GroupView view = witness.hear(restarted);
    CHECK(view.is_rank_taken);
    CHECK(view.is_over);
    CHECK(view.failure == "turn 2 of rank 1 on node-1 ended with 2 findings");
    REQUIRE(view.turns.size() == 2);
    CHECK(view.turns[0].ended_by == "fence");
    CHECK(view.turns[1].findings == 2);
}

TEST_CASE("a hand-over whose first owner was lost before anything was promised about its files does not keep its name") {
    Witness witness;
    const bool has_promises = GENERATE(true, false);
    witness.hear(group_test::owner(0, 10, 1));
    witness.hear(group_test::owner(1, 11, 0));
    witness.pass(11);
    GroupBeat second = group_test::owner(1, 11, 2);
    witness.hear(second);
    witness.hear(second);
    second.is_turn_over = true;
    second.failure = "exit code 3";  // there was nothing to take over
    CHECK(witness.hear(second).is_over);
    witness.pass(61);
    CHECK(witness.hear(group_test::owner(0, 30, 0), has_promises).is_over == has_promises);
}
