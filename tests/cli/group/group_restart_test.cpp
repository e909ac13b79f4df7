// Groups whose processes are restarted, and the next group of the same name.
#include <cstdint>
#include <vector>

#include "tests/cli/group/one_group.hpp"
#include "tests/support/catch.hpp"

using cli::GroupBeat;
using cli::GroupView;
using group_test::beat_of;
using group_test::Witness;

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
    Witness witness;
    GroupBeat lost = beat_of(0, 3, "side-by-side", 10);
    GroupBeat second = beat_of(1, 3, "side-by-side", 11);
    GroupBeat third = beat_of(2, 3, "side-by-side", 12);
    lost.stage = second.stage = third.stage = 2;
    witness.hear(lost);
    witness.hear(second);
    CHECK(witness.hear(third).released_stage == 2);
    witness.pass(15);
    GroupBeat restarted = beat_of(0, 3, "side-by-side", 20);
    restarted.stage = 1;
    CHECK_FALSE(witness.hear(restarted).is_rank_taken);
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
