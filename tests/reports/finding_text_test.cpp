#include "reports/finding_text.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>

#include "reports/verdict.hpp"
#include "tests/reports/example_evidence.hpp"
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

TEST_CASE("of a page that is wrong in part, what its header says is not what came back") {
    const auto fact = [](sim::SectorState state, std::uint32_t version) { return sim::SectorFact{state, version, 1, 87'366, 0}; };
    sim::Finding finding = example_evidence();
    CHECK(reports::finding_detail(finding) == "8 sectors of version 3 instead of version 5");
    // The header is in the half that is as it was written.
    finding.received.value().version = 5;
    CHECK(reports::finding_detail(finding) == "8 sectors of version 3 instead of version 5");
    finding.comparison.value().sectors[15].version = 4;
    CHECK(reports::finding_detail(finding) == "8 sectors of other versions instead of version 5");
    for (std::size_t i = 0; i < 15; ++i) finding.comparison.value().sectors[i] = fact(sim::SectorState::expected, 5);
    finding.comparison.value().sectors[15] = fact(sim::SectorState::zero, 0);
    CHECK(reports::finding_detail(finding) == "1 sector of zeros instead of version 5");
    finding.kind = sim::FindingKind::zeroed_page;
    CHECK(reports::finding_detail(finding) == "1 sector of zeros instead of version 5");
    // The zeros begin within a sector.
    finding.comparison.value().sectors[14] = fact(sim::SectorState::damaged, 0);
    finding.comparison.value().wrong_bytes = 600;
    CHECK(reports::finding_detail(finding) == "600 bytes of zeros instead of version 5");
    finding.comparison.value().sectors[14] = fact(sim::SectorState::expected, 5);
    finding.kind = sim::FindingKind::future_version;
    finding.comparison.value().sectors[15] = fact(sim::SectorState::newer, 6);
    CHECK(reports::finding_detail(finding) == "1 sector of version 6 instead of version 5");
    // The header is in the part that is wrong.
    finding.comparison.value().sectors[0] = fact(sim::SectorState::newer, 6);
    finding.received.value().version = 6;
    CHECK(reports::finding_detail(finding) == "2 sectors of version 6 instead of version 5");
    finding.received.value().version = 5;
    finding.comparison.value().sectors.assign(16, fact(sim::SectorState::damaged, 5));
    CHECK(reports::finding_detail(finding) == "version 5, but not what was written");
    finding.received.value().version = 6;
    CHECK(reports::finding_detail(finding) == "version 6 came back, 5 was written");
}

TEST_CASE("a version of another run is not compared with one of this run") {
    sim::Finding finding = example_evidence();
    finding.kind = sim::FindingKind::lost_write;
    finding.comparison.value().sectors.assign(16, sim::SectorFact{sim::SectorState::foreign, 26, 1, 87'366, 0});
    finding.received.value().version = 26;
    CHECK(reports::finding_detail(finding) == "version 26 of another run came back, 5 was written");
    finding.received.value().version = 5;
    CHECK(reports::finding_detail(finding) == "version 5 of another run came back, 5 was written");
}

TEST_CASE("what came back whole later is not said to be written in part, or missing") {
    sim::Finding finding = example_evidence();
    finding.kind = sim::FindingKind::torn_page;
    CHECK_THAT(std::string(reports::kind_text(finding).meaning), ContainsSubstring("carried out in part"));
    finding.transient = true;
    CHECK_THAT(std::string(reports::kind_text(finding).meaning), !ContainsSubstring("carried out in part"));
    finding.kind = sim::FindingKind::log_gap;
    // Nor that anybody had acknowledged it: it may be the last block of a log.
    CHECK_THAT(std::string(reports::kind_text(finding).meaning), !ContainsSubstring("there is none") && !ContainsSubstring("acknowledged"));
    CHECK(reports::finding_detail(finding) == "only a later read returned the block");
    finding.transient = false;
    CHECK_THAT(std::string(reports::kind_text(finding).meaning), ContainsSubstring("there is none"));
}

TEST_CASE("a lost write is said to be lost even after the file was reopened only if a read through a newly opened file showed it") {
    sim::Finding finding = example_finding();
    finding.rereads.clear();
    const auto meaning = [&finding] { return std::string(reports::kind_text(finding).meaning); };
    CHECK_THAT(meaning(), ContainsSubstring("what was there before. SQL Server") && !ContainsSubstring("reopened"));
    finding.rereads = {{.attempt = 1, .result = sim::RereadResult::same_image},
                       {.attempt = 3, .through_new_file = true, .result = sim::RereadResult::io_error}};
    CHECK_THAT(meaning(), !ContainsSubstring("reopened"));
    finding.rereads.push_back({.attempt = 8, .through_new_file = true, .result = sim::RereadResult::same_image});
    CHECK_THAT(meaning(), ContainsSubstring("the file was reopened. SQL Server would work with old data"));
}

TEST_CASE("of a lost write whose change the log still has it is not said that SQL Server would work with old data") {
    sim::Finding finding = example_finding();
    const auto meaning = [&finding] { return reports::kind_text(finding).meaning; };
    CHECK_THAT(meaning(), ContainsSubstring("could not repair it from the log"));
    for (const bool is_reopened : {false, true}) {
        if (is_reopened) finding.rereads = {{.attempt = 3, .through_new_file = true, .result = sim::RereadResult::same_image}};
        finding.redo = sim::PageRedo::complete;
        CHECK_THAT(meaning(), ContainsSubstring("recovery would make it again") && !ContainsSubstring("old data"));
        finding.redo = sim::PageRedo::refused;
        CHECK_THAT(meaning(), ContainsSubstring("error 3456") && !ContainsSubstring("old data"));
    }
    CHECK_THAT(meaning(), ContainsSubstring("even after the caches were flushed"));
}

TEST_CASE("of a lost write that leaves zeros, or a file without its first page, it is not said that SQL Server would work with it") {
    sim::Finding finding = example_finding();
    const auto meaning = [&finding] { return reports::kind_text(finding).meaning; };
    finding.comparison.value().sectors.assign(16, sim::SectorFact{.state = sim::SectorState::zero});
    CHECK_THAT(meaning(), ContainsSubstring("error 824") && !ContainsSubstring("old data"));
    finding.redo = sim::PageRedo::refused;
    CHECK_THAT(meaning(), ContainsSubstring("error 824") && !ContainsSubstring("error 3456"));
    finding.redo = sim::PageRedo::complete;
    CHECK_THAT(meaning(), ContainsSubstring("recovery would make it again") && !ContainsSubstring("error 824"));
    finding.place.page_id = 0;
    CHECK_THAT(meaning(), ContainsSubstring("could not open the database") && !ContainsSubstring("old data"));
    finding = example_finding();
    finding.place.is_log = true;
    CHECK_THAT(meaning(), ContainsSubstring("could not open the database") && !ContainsSubstring("old data"));
}

TEST_CASE("a later read is said to have returned the right page only if one did") {
    sim::Finding finding = example_finding();
    finding.transient = true;
    for (const auto kind : {sim::FindingKind::stale_read, sim::FindingKind::misdirected_read}) {
        finding.kind = kind;
        finding.rereads = {{.attempt = 1, .result = sim::RereadResult::other_image}};
        CHECK_THAT(std::string(reports::kind_text(finding).meaning), ContainsSubstring("No later read returned the"));
        finding.rereads.push_back({.attempt = 2, .result = sim::RereadResult::right});
        CHECK_THAT(std::string(reports::kind_text(finding).meaning), ContainsSubstring("a later read returned the"));
    }
}

TEST_CASE("of a stale read it is not said that a cache must be the cause: a write that lands late looks the same") {
    sim::Finding finding = example_finding();
    finding.transient = true;
    finding.rereads = {{.attempt = 1, .result = sim::RereadResult::right}};
    for (const auto kind : {sim::FindingKind::stale_read, sim::FindingKind::torn_page}) {
        finding.kind = kind;
        const std::string meaning(reports::kind_text(finding).meaning);
        CHECK_THAT(meaning,
                   ContainsSubstring("or the write was acknowledged before reads could see") && !ContainsSubstring("on the medium"));
    }
}

TEST_CASE("of an old page whose checksum does not fit it is not said that SQL Server would work with it") {
    sim::Finding finding = example_finding();
    finding.transient = true;
    const auto meaning = [&finding] { return std::string(reports::kind_text(finding).meaning); };
    for (const auto kind : {sim::FindingKind::stale_read, sim::FindingKind::lost_write}) {
        finding.kind = kind;
        for (const auto later : {sim::RereadResult::right, sim::RereadResult::other_image}) {
            finding.rereads = {{.attempt = 1, .through_new_file = true, .result = later}};
            finding.received = {.version = 3, .checksum = 0x15, .calculated_checksum = 0x15};
            CHECK_THAT(meaning(), ContainsSubstring("with old data") && !ContainsSubstring("error 824"));
            finding.received = {.version = 3, .checksum = 0x15, .calculated_checksum = 0x16};
            CHECK_THAT(meaning(), ContainsSubstring("error 824") && !ContainsSubstring("with old data"));
        }
        // Zeros have no checksum that could be wrong.
        finding.received = {.calculated_checksum = 0x16};
        CHECK_THAT(meaning(), !ContainsSubstring("error 824"));
    }
}

TEST_CASE("of contents from before a cut it is not said that anything newer was written, or read back") {
    sim::Finding finding = example_finding();
    finding.expected = sim::ExpectedIdentity{.version = 0};
    finding.received = sim::ReceivedIdentity{.version = 11};
    finding.comparison = sim::ImageComparison{};
    finding.comparison.value().sectors.assign(16, sim::SectorFact{sim::SectorState::newer, 11, 1, 87'366, 0});
    for (const auto kind : {sim::FindingKind::reverted_page, sim::FindingKind::stale_read}) {
        finding.kind = kind;
        CHECK(reports::finding_detail(finding) == "version 11 from before a cut of the file");
        CHECK_THAT(std::string(reports::kind_text(finding).meaning),
                   ContainsSubstring("must be zeros") && !ContainsSubstring("newe") && !ContainsSubstring("read back"));
    }
    // A verification that does not know the page's version knows of no cut either, and reports a page of another run so.
    finding.comparison.value().sectors.assign(16, sim::SectorFact{sim::SectorState::foreign, 11, 1, 87'366, 0});
    CHECK_THAT(std::string(reports::kind_text(finding).meaning), !ContainsSubstring("was cut"));
}

TEST_CASE("of a file that is too short it is not said that the contents from before are still there") {
    sim::Finding finding = example_finding();
    finding.kind = sim::FindingKind::lost_write;
    finding.expected.reset();
    finding.received.reset();
    const auto meaning = [&finding] { return std::string(reports::kind_text(finding).meaning); };
    CHECK_THAT(meaning(), ContainsSubstring("holds what was there before"));
    finding.request.is_write = true;
    CHECK_THAT(meaning(), ContainsSubstring("The file is shorter") && !ContainsSubstring("was there before"));
}

TEST_CASE("of a file that is missing it is not said that a read was tried again, nor that a cable may be the cause") {
    sim::Finding finding = example_finding();
    finding.kind = sim::FindingKind::io_error;
    finding.request.of_file = sim::FileRequest::open;
    finding.failure = sim::RequestFailure{.error_code = static_cast<int>(std::errc::io_error)};
    CHECK_THAT(reports::kind_text(finding).meaning, ContainsSubstring("error 823"));
    finding.failure = sim::RequestFailure{.error_code = static_cast<int>(std::errc::no_such_file_or_directory)};
    const reports::KindText text = reports::kind_text(finding);
    CHECK_THAT(text.meaning, ContainsSubstring("could not open the database") && !ContainsSubstring("error 823"));
    CHECK_THAT(std::string(text.advice), ContainsSubstring("names of files") && !ContainsSubstring("cables"));
}

TEST_CASE("a short transfer is not said to be well before the end of the file, which may be where it stopped") {
    const std::string meaning(reports::kind_text(sim::FindingKind::short_transfer).meaning);
    CHECK_THAT(meaning, ContainsSubstring("fewer bytes than asked for") && !ContainsSubstring("before the end"));
}

TEST_CASE("of another page's image on a page that was never written it is not said that a write missed its place") {
    sim::Finding finding = example_finding();
    finding.kind = sim::FindingKind::misdirected_write;
    const auto meaning = [&finding] { return std::string(reports::kind_text(finding).meaning); };
    CHECK_THAT(meaning(), ContainsSubstring("the one that was missed"));
    finding.expected = sim::ExpectedIdentity{.version = 0};
    CHECK_THAT(meaning(), ContainsSubstring("was not cleared") && !ContainsSubstring("missed"));
}

TEST_CASE("of a misdirected write it is not said that two pages must be damaged: deduplication may have taken one for the other") {
    const reports::KindText text = reports::kind_text(sim::FindingKind::misdirected_write);
    CHECK_THAT(std::string(text.meaning), ContainsSubstring("or this place was given the data of another one"));
    CHECK_THAT(std::string(text.advice), ContainsSubstring("deduplication"));
}

TEST_CASE("of a lost write it is not said that it never arrived: a snapshot that was rolled back looks the same") {
    CHECK_THAT(std::string(reports::kind_text(sim::FindingKind::lost_write).meaning), ContainsSubstring("or was undone later"));
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
