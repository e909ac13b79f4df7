#include "reports/merged_members.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "reports/results_document.hpp"
#include "tests/support/catch.hpp"

using Json = nlohmann::ordered_json;

namespace {

// What a results file says about its turn, one of four that two ranks take.
reports::MergedMember member_of_turn(std::uint32_t number, const Json& previous, const Json& planned_losses) {
    Json results;
    results["group"] = {{"name", "night-1"}, {"plan", "hand-over"}, {"rank", (number - 1) % 2}, {"of", 2}};
    results["group"]["turn"] = {{"number", number}, {"turns", 4}, {"previous", previous}, {"planned_losses", planned_losses}};
    return reports::member_of({"r.json", &results}).value();
}

}  // namespace

TEST_CASE("turns in a row whose owners were lost by plan are reported by the next one that has a result") {
    const Json fenced = {{"rank", 0}, {"ended_by", "fence"}};
    const reports::MergedMember first = member_of_turn(1, nullptr, Json::array());
    // As of an earlier version, which tells only how the turn before ended.
    const reports::MergedGaps one = reports::gaps_of({first, member_of_turn(4, fenced, Json::array())});
    CHECK(one.turns == std::vector<std::uint32_t>{2});
    const Json losses = Json::parse(R"([{"number": 2, "rank": 1}, {"number": 3, "rank": 0}])");
    const reports::MergedGaps none = reports::gaps_of({first, member_of_turn(4, fenced, losses)});
    CHECK(none.turns.empty());
    CHECK(none.ranks.empty());
    CHECK(none.turn_count == 4);
}

TEST_CASE("a results file that says how a turn after its own ended is refused") {
    const Json later = Json::parse(R"([{"number": 3, "rank": 0}])");
    CHECK_THROWS_AS(member_of_turn(2, nullptr, later), reports::ResultsDocumentError);
    CHECK_THROWS_AS(member_of_turn(2, nullptr, 7), reports::ResultsDocumentError);
}
