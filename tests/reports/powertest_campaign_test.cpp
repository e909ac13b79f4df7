#include "reports/powertest_campaign.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"

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
    const std::string text = reports::campaign_text(cycles, 3, 200);
    CHECK_THAT(text, ContainsSubstring("cycle 1: cut after 12.3 s: intact, 3 torn pages, 0 blocks after the end, verified in 60 ms"));
    CHECK_THAT(text, ContainsSubstring("PASS: after 2 of 3 cuts"));
    CHECK_THAT(text, ContainsSubstring("  * 1 cut left torn pages, 3 in all"));
    CHECK_THAT(text, ContainsSubstring("After 1 cut the files said nothing"));
    CHECK_THAT(text, ContainsSubstring("Not proven: what the log may have lost at its own end"));
}

TEST_CASE("the headline of the verification says what a cut has lost") {
    PowerCycle lost = cycle_of(CutOutcome::findings);
    lost.finding_count = 1;
    lost.said = "1 finding (gap in the log).";
    const std::string text = reports::campaign_text({lost}, 5, 200);
    CHECK_THAT(text, ContainsSubstring("1 finding FOUND") && ContainsSubstring("Cycle 1: 1 finding (gap in the log)."));
}
