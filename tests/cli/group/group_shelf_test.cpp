// The groups that a restarted witness finds in its folder.
#include "cli/group/group_shelf.hpp"

#include <string>

#include "cli/group/group_message.hpp"
#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"

namespace {

cli::GroupView answer_to(cli::GroupShelf& shelf, const std::string& group) {
    cli::GroupBeat beat;
    beat.group = group;
    beat.terms.plan = "side-by-side";
    beat.terms.of = 2;
    beat.terms.lease_ms = 10'000;
    beat.terms.wait_ms = 60'000;
    beat.session = 10;
    beat.host = "h";
    return cli::decode_view(shelf.answer(cli::encode(beat)).value()).value();
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
    CHECK_THAT(answer_to(shelf, "torn").problem, ContainsSubstring("torn.group"));
    CHECK(answer_to(shelf, "sound").problem.empty());
    CHECK(folder.read("torn.group") == torn);
}
