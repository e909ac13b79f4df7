// The groups that a restarted witness finds in its folder.
#include "cli/group/group_shelf.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "cli/group/group_message.hpp"
#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"

namespace {

cli::GroupBeat beat_of_plan(const std::string& plan, std::uint32_t turn) {
    cli::GroupBeat beat;
    beat.group = "g";
    beat.terms.plan = plan;
    beat.terms.turns = 3;
    beat.session = 10;
    beat.stage = 1;
    beat.turn = turn;
    return beat;
}

cli::GroupView hear(cli::GroupShelf& shelf, const cli::GroupBeat& beat) {
    return cli::decode_view(shelf.answer(cli::encode(beat)).value()).value();
}

cli::GroupView answer_to(cli::GroupShelf& shelf, const std::string& group) {
    cli::GroupBeat beat;
    beat.group = group;
    beat.terms.plan = "side-by-side";
    beat.terms.of = 2;
    beat.terms.lease_ms = 10'000;
    beat.terms.wait_ms = 60'000;
    beat.session = 10;
    beat.host = "h";
    return hear(shelf, beat);
}

}  // namespace

TEST_CASE("a damaged file of a group does not keep the witness from starting: it is named, stays as it is, and only its group is refused") {
    const test::IoproofFolder folder;
    {
        cli::GroupShelf shelf(folder.path());
        for (const char* group : {"sound", "torn"}) CHECK(answer_to(shelf, group).problem.empty());
    }
    const std::string torn = folder.read("torn.group").substr(0, 20);
    folder.write("torn.group", torn);

    cli::GroupShelf shelf(folder.path());
    REQUIRE(shelf.damages().size() == 1);
    CHECK_THAT(shelf.damages()[0], ContainsSubstring("torn.group: is damaged"));
    CHECK_THAT(answer_to(shelf, "torn").problem, ContainsSubstring("torn.group") && ContainsSubstring("to begin the group anew"));
    CHECK(answer_to(shelf, "sound").problem.empty());
    CHECK(folder.read("torn.group") == torn);
}

TEST_CASE("an owner does not lose its turn because the witness stood still for longer than the lease") {
    const test::IoproofFolder folder;
    cli::GroupShelf shelf(folder.path());
    const bool stands_still = GENERATE(true, false);
    cli::GroupBeat owner = beat_of_plan("hand-over", 1);
    owner.terms.of = 2;
    owner.terms.lease_ms = 1500;
    cli::GroupBeat other = owner;
    other.rank = 1;
    other.session = 11;
    other.turn = 0;
    hear(shelf, owner);
    CHECK(hear(shelf, other).turns.size() == 1);
    if (stands_still) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2000));
        // The beats of all of them have been waiting, and this one is the first.
        CHECK(hear(shelf, other).turns.size() == 1);
        return;
    }
    // On a busy machine this test may stand still, too: the lease is over some time later then.
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (hear(shelf, other).turns.size() == 1 && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    CHECK(hear(shelf, other).turns.size() == 2);
}

TEST_CASE("a witness that needs room forgets a group that is done before a hand-over that is not, however long that has been silent") {
    const test::IoproofFolder folder;
    cli::GroupShelf shelf(folder.path());
    cli::GroupBeat unfinished = beat_of_plan("hand-over", 1);
    unfinished.group = "unfinished";
    unfinished.terms.lease_ms = 100;
    unfinished.terms.wait_ms = 0;
    unfinished.run_id = 5;
    hear(shelf, unfinished);
    cli::GroupBeat done = beat_of_plan("side-by-side", 0);
    done.group = "done";
    hear(shelf, done);
    done.state = "done";
    CHECK(hear(shelf, done).is_over);
    for (std::size_t i = 2; i < cli::GroupShelf::kGroupsMax; ++i) answer_to(shelf, "other-" + std::to_string(i));
    // Until the hand-over counts as ended, too.
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1500);
    while (std::chrono::steady_clock::now() < end) {
        shelf.tick();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    CHECK(answer_to(shelf, "new").problem.empty());
    CHECK_FALSE(folder.has("done.group"));
    CHECK(folder.has("unfinished.group"));
}
