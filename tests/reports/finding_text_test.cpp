#include "reports/finding_text.hpp"

#include "reports/verdict.hpp"
#include "tests/reports/example_results.hpp"
#include "tests/support/catch.hpp"

TEST_CASE("what is wrong with a log is said with checksums only where there are two that differ") {
    sim::Finding finding = example_finding();
    finding.kind = sim::FindingKind::log_block_damaged;
    finding.place.is_log = true;
    finding.received = sim::ReceivedIdentity{.checksum = 0x1234, .calculated_checksum = 0xdeadbeef};
    CHECK(reports::finding_detail(finding) == "stored 00001234, calculated deadbeef");
    finding.received->calculated_checksum = 0x1234;
    CHECK(reports::finding_detail(finding) == "not what was written");
    finding.received.reset();
    CHECK(reports::finding_detail(finding) == "not what was written");
    finding.kind = sim::FindingKind::wal_violation;
    CHECK(reports::finding_detail(finding) == "ends before changes in the data files");
    finding.place.is_log = false;
    finding.expected = sim::ExpectedIdentity{.version = 5};
    finding.received = sim::ReceivedIdentity{.version = 7};
    CHECK(reports::finding_detail(finding) == "version 7 is not in the log");
    finding.place.role = sim::FileRole::restored;
    CHECK(reports::finding_detail(finding) == "not what was backed up");
}

TEST_CASE("one wrong bit is not called bits") {
    sim::Finding finding = example_finding();
    finding.kind = sim::FindingKind::bit_corruption;
    finding.comparison = sim::ImageComparison{.wrong_bytes = 1, .wrong_bits = 1};
    CHECK(reports::finding_detail(finding) == "1 wrong bit in 1 byte");
}

TEST_CASE("a fault in a backup's files is not said to end crash recovery") {
    sim::Results results = example_results();
    results.findings = {example_finding()};
    results.finding_count = 1;
    sim::Finding& finding = results.findings.front();
    const auto meaning = [&results] { return reports::verdict_of(results).reasons.at(1).text; };
    finding.kind = sim::FindingKind::log_gap;
    finding.place.is_log = true;
    CHECK_THAT(meaning(), ContainsSubstring("Crash recovery"));
    finding.place.role = sim::FileRole::backup_chain;
    CHECK_THAT(meaning(), ContainsSubstring("A chunk of a backup chain") && !ContainsSubstring("Crash recovery"));
    finding.kind = sim::FindingKind::wal_violation;
    finding.place.is_log = false;
    finding.place.role = sim::FileRole::restored;
    CHECK_THAT(meaning(), ContainsSubstring("The restored file is not") && !ContainsSubstring("crash"));
}
