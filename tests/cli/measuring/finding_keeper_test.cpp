#include "cli/measuring/finding_keeper.hpp"

#include "tests/support/catch.hpp"

TEST_CASE("a measurement keeps the first findings, and the first of each kind after them") {
    cli::FindingKeeper keeper;
    sim::Finding finding;
    finding.kind = sim::FindingKind::bit_corruption;
    for (std::size_t i = 0; i < 2 * cli::FindingKeeper::kFindingsKept; ++i) keeper.on_finding(finding);
    finding.kind = sim::FindingKind::lost_write;
    for (int i = 0; i < 2; ++i) keeper.on_finding(finding);
    REQUIRE(keeper.findings().size() == cli::FindingKeeper::kFindingsKept + 1);
    CHECK(keeper.findings().back().kind == sim::FindingKind::lost_write);
}
