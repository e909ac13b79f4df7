#include "reports/powertest_campaign.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/figures.hpp"

using reports::CutOutcome;
using reports::PowerCycle;

namespace {

PowerCycle cycle_of(CutOutcome outcome, std::uint64_t torn_pages = 0) {
    return {.number = 1, .load_ms = 12'300, .outcome = outcome, .torn_pages = torn_pages, .verify_ms = 60};
}

std::string verdict_of_cycles(const std::vector<PowerCycle>& cycles, std::uint32_t wanted) {
    return reports::campaign_document(cycles, wanted, "1")["verdict"];
}

}  // namespace

TEST_CASE("a campaign passes if all its cuts passed and at least one could be verified") {
    CHECK(verdict_of_cycles({cycle_of(CutOutcome::intact), cycle_of(CutOutcome::nothing)}, 2) == "PASS");
    CHECK(verdict_of_cycles({cycle_of(CutOutcome::intact)}, 2) == "INCOMPLETE");
    CHECK(verdict_of_cycles({cycle_of(CutOutcome::nothing)}, 1) == "INCOMPLETE");
    CHECK(verdict_of_cycles({}, 1) == "INCOMPLETE");
    CHECK(verdict_of_cycles({cycle_of(CutOutcome::intact), cycle_of(CutOutcome::findings)}, 2) == "FAIL");
}

TEST_CASE("a run that was not cut does not count as a cut, but its findings count") {
    PowerCycle ended = cycle_of(CutOutcome::intact);
    ended.was_cut = false;
    CHECK(verdict_of_cycles({ended}, 1) == "INCOMPLETE");
    CHECK_THAT(cycle_text(ended), ContainsSubstring("ended, not cut, after 12.3 s"));
    ended.outcome = CutOutcome::findings;
    CHECK(verdict_of_cycles({ended}, 1) == "FAIL");
}

TEST_CASE("torn pages are shown with the number of cuts that tore them, and cuts that prove nothing as such") {
    const std::vector<PowerCycle> cycles{cycle_of(CutOutcome::intact, 3), cycle_of(CutOutcome::intact), cycle_of(CutOutcome::nothing)};
    const std::string text = reports::campaign_text(cycles, 3, false, 200);
    CHECK_THAT(text, ContainsSubstring("cycle 1: cut after 12.3 s: intact, 3 torn pages, 0 blocks after the end, verified in 60 ms"));
    CHECK_THAT(text, ContainsSubstring("PASS: after 2 of 3 cuts"));
    CHECK_THAT(text, ContainsSubstring("  * 1 cut left torn pages, 3 in all"));
    CHECK_THAT(text, ContainsSubstring("After 1 cut the files said nothing"));
    CHECK_THAT(text, ContainsSubstring("Not proven: what the log may have lost at its own end"));
}

TEST_CASE("with a ledger or witness a campaign does not say that the end of the log is not proven") {
    const std::string text = reports::campaign_text({cycle_of(CutOutcome::intact)}, 1, true, 200);
    CHECK_THAT(text, ContainsSubstring("Not proven: what no promise to the ledger or witness") && !ContainsSubstring("own end"));
    CHECK_THAT(text, ContainsSubstring("that each cut really took the power"));
}

TEST_CASE("the headline of the verification says what a cut has lost") {
    PowerCycle lost = cycle_of(CutOutcome::findings);
    lost.finding_count = 1;
    lost.said = "1 finding (gap in the log).";
    const std::string text = reports::campaign_text({lost}, 5, false, 200);
    CHECK_THAT(text, ContainsSubstring("1 finding FOUND") && ContainsSubstring("Cycle 1: 1 finding (gap in the log)."));
}

TEST_CASE("each figure of a cycle is in the JSON of a campaign under its own name") {
    std::vector<PowerCycle> cycles{cycle_of(CutOutcome::findings)};
    test::Figures figures;
    figures.set(cycles[0].number, "number");
    figures.set(cycles[0].moment, "moment");
    figures.set(cycles[0].load_ms, "load_ms");
    figures.set(cycles[0].finding_count, "finding_count");
    figures.set(cycles[0].torn_pages, "torn_pages");
    figures.set(cycles[0].blocks_behind, "blocks_behind");
    figures.set(cycles[0].verify_ms, "verify_ms");
    figures.set(cycles[0].said, "said");
    const auto json = reports::campaign_document(cycles, 1, "1")["cycles"].at(0);
    CHECK(figures.wrong_in(json) == "");
    CHECK(json["outcome"] == "findings");
    CHECK(json["was_cut"] == true);
    cycles[0].was_cut = false;
    cycles[0].moment = "";
    CHECK(reports::campaign_document(cycles, 1, "1")["cycles"].at(0)["was_cut"] == false);
    CHECK(reports::campaign_document(cycles, 1, "1")["cycles"].at(0)["moment"] == "any");
}

TEST_CASE("each sum of a campaign is in its JSON under its own name") {
    // Of 9 cycles 8 are cuts: 4 intact (3 of them with torn pages), 1 with findings, 3 of nothing. The ninth has findings, and was not cut.
    std::vector<PowerCycle> cycles{
        cycle_of(CutOutcome::intact, 10), cycle_of(CutOutcome::intact, 20), cycle_of(CutOutcome::intact, 30),
        cycle_of(CutOutcome::intact),     cycle_of(CutOutcome::findings),   cycle_of(CutOutcome::nothing),
        cycle_of(CutOutcome::nothing),    cycle_of(CutOutcome::nothing),    cycle_of(CutOutcome::findings, 1000)};
    cycles.back().was_cut = false;
    const auto json = reports::campaign_document(cycles, 20, "1.2");
    CHECK(json["program_version"] == "1.2");
    CHECK(json["verdict"] == "FAIL");
    CHECK_THAT(json["headline"].get<std::string>(), ContainsSubstring("FAIL: "));
    CHECK(json["cuts_wanted"] == 20);
    CHECK(json["cuts"] == 8);
    CHECK(json["cuts_intact"] == 4);
    CHECK(json["cuts_nothing"] == 3);
    CHECK(json["cycles_with_findings"] == 2);
    CHECK(json["cuts_with_torn_pages"] == 3);
    CHECK(json["torn_pages"] == 60);
}
