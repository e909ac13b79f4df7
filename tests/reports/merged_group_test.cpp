// Results files of one group as one: its plan, its ranks and turns, and their clocks.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "reports/html_page.hpp"
#include "reports/merged_results.hpp"
#include "tests/reports/merged_parts.hpp"
#include "tests/support/catch.hpp"

using Json = nlohmann::ordered_json;
using test::group_of_rank;
using test::part_of;
using test::Parts;
using test::ranked_part;
using test::turn_part;

namespace {

Json previous_owner(std::uint32_t rank, const char* ended_by) { return {{"rank", rank}, {"ended_by", ended_by}}; }

}  // namespace

TEST_CASE("what a PASS of several hosts proves depends on their plan") {
    const auto headline = [](const char* plan) {
        Parts files;
        for (std::uint32_t rank = 0; rank < 2; ++rank) {
            Json json = ranked_part(rank + 1, rank, 2);
            json["group"]["plan"] = plan;
            if (json["group"]["plan"] != "side-by-side") json["run"]["run_id"] = "00000000000000fe";
            files.add(std::move(json));
        }
        return files.merged()["headline"].get<std::string>();
    };
    CHECK_THAT(headline("side-by-side"), ContainsSubstring("nothing of another one's"));
    CHECK_THAT(headline("hand-over"), ContainsSubstring("ones before it had been promised"));
    CHECK_THAT(headline("readers"), ContainsSubstring("each reader saw"));
}

TEST_CASE("a reader's result has the run id of its owner, but is still a separate result") {
    Parts files;
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        files.add(part_of(1));
        files.results.back()["group"] = group_of_rank(rank, 2);
    }
    CHECK(files.merged()["hosts"].size() == 2);
}

TEST_CASE("missing ranks make the result incomplete, and are named") {
    Parts files;
    files.add(ranked_part(1, 0, 5));
    files.add(ranked_part(2, 3, 5));
    Json group = files.merged();
    CHECK(group["verdict"] == "INCOMPLETE");
    CHECK(group["group"]["missing_ranks"] == Json::parse("[1,2,4]"));
    CHECK_THAT(group["headline"].get<std::string>(), ContainsSubstring("ranks 1, 2 and 4 of 5 did not come back"));
    files.add(ranked_part(3, 1, 5, true));
    group = files.merged();
    CHECK(group["verdict"] == "FAIL");
    CHECK_THAT(reports::merged_text(group), ContainsSubstring("In addition, ranks 2 and 4 of 5 did not come back."));
}

TEST_CASE("the clock of the witness puts all hosts on one axis, whatever their own clocks say") {
    Parts files;
    Json ahead = ranked_part(1, 0, 2);
    Json behind = ranked_part(1, 1, 2);
    behind["run"]["run_id"] = "00000000000000ff";
    // The first host's clock is 5 s ahead of the witness, the second one's 5 s behind: they began 10 s apart, not together.
    ahead["group"]["clock"] = {{"offset_us", -5'000'000}, {"round_trip_us", 400}};
    behind["group"]["clock"] = {{"offset_us", 5'000'000}, {"round_trip_us", 301}};
    files.add(behind);
    files.add(ahead);
    Json group = files.merged();
    CHECK(group["clock"] == "witness");
    CHECK(group["hosts"][0]["rank"] == 0);
    CHECK(group["hosts"][0]["begin_us"] == 0);
    CHECK(group["hosts"][1]["begin_us"] == 10'000'000);
    CHECK(group["hosts"][1]["clock_error_us"] == 151);
    CHECK_THAT(reports::merged_text(group), ContainsSubstring("by the clock of the witness") && ContainsSubstring("-5.0 s"));
    // Clocks that were never measured are reported, not guessed.
    files.results[0]["group"]["clock"]["round_trip_us"] = 0;
    group = files.merged();
    CHECK(group["clock"] == "hosts");
    CHECK(group["hosts"][1]["clock_offset_us"].is_null());
}

TEST_CASE("a turn whose owner was killed by plan is reported by the next one, and any other without a result is missing") {
    Parts files;
    files.add(turn_part(2, 3, previous_owner(0, "kill")));
    files.add(turn_part(3, 3, previous_owner(1, "in-order")));
    Json group = files.merged();
    CHECK(group["verdict"] == "PASS");
    CHECK(group["hosts"][0]["name"] == "turn 2, rank 1 on node-b");
    CHECK_THAT(group["headline"].get<std::string>(), ContainsSubstring("all 3 turns"));
    files.results[0]["group"]["turn"]["previous"] = previous_owner(0, "lost");
    group = files.merged();
    CHECK(group["verdict"] == "INCOMPLETE");
    CHECK(group["group"]["missing_turns"] == Json::parse("[1]"));
    files.results.pop_back();
    group = files.merged();
    CHECK(group["group"]["missing_turns"] == Json::parse("[1,3]"));
    CHECK(group["group"]["missing_ranks"] == Json::parse("[0]"));
}

TEST_CASE("of ranks that waited for a turn that never began, or had none, nothing is said to be missing") {
    Parts files;
    files.add(turn_part(1, 2, nullptr));
    files.add(turn_part(2, 2, previous_owner(0, "in-order")));
    for (Json& result : files.results) result["group"]["of"] = 4;
    Json group = files.merged();
    CHECK(group["verdict"] == "PASS");
    CHECK(group["group"]["missing_ranks"].empty());
    for (Json& result : files.results) result["group"]["turn"]["turns"] = 4;
    group = files.merged();
    CHECK(group["verdict"] == "INCOMPLETE");
    CHECK_THAT(group["headline"].get<std::string>(), ContainsSubstring("there is no result of turns 3 and 4 of 4"));
    CHECK_THAT(group["headline"].get<std::string>(), !ContainsSubstring("did not come back"));
}

TEST_CASE("a finding's fact about the group becomes its name, and is shown") {
    Parts files;
    files.add(ranked_part(1, 0, 2));
    files.add(ranked_part(2, 1, 2, true));
    for (Json& finding : files.results[1]["findings"]) {
        finding["group_fact"] = {
            {"name", "zombie_owner"}, {"title", "zombie owner"}, {"text", "Made by rank 0 on node-a."}, {"hint", "Fence it."}};
    }
    const Json group = files.merged();
    CHECK(group["findings_by_kind"][0]["kind"] == "zombie_owner");
    CHECK_THAT(reports::merged_text(group), ContainsSubstring("  zombie_owner\n"));
    CHECK_THAT(reports::html_merged(group), ContainsSubstring("Fence it."));
}

TEST_CASE("a side-by-side run that has met another run of a rank than the one whose result is given is of an earlier group") {
    Parts files;
    for (const std::uint32_t rank : {0U, 1U}) files.add(ranked_part(rank + 1, rank, 2));
    Json members = Json::array();
    for (const Json& part : files.results) members.push_back({{"rank", part["group"]["rank"]}, {"run_id", part["run"]["run_id"]}});
    files.results[0]["group"]["members"] = members;
    CHECK(files.merged()["verdict"] == "PASS");
    Json& met = files.results[0]["group"]["members"][1];
    met["run_id"] = "00000000000000fd";
    CHECK_THROWS_WITH(files.merged(), ContainsSubstring("'r0.json' and 'r1.json' are of runs that have not met"));
    std::swap(files.results[0], files.results[1]);
    CHECK_THROWS_WITH(files.merged(), ContainsSubstring("are of runs that have not met"));
    files.results[0]["verdict"]["judgement"] = "FAIL";
    CHECK(files.merged()["verdict"] == "FAIL");
}
