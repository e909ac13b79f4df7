// One page as a crash has left it, compared with what log and ledger prove about it.
#include "sim/verify/page_judge.hpp"

#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

#include <fmt/ranges.h>

#include "sim/ledger/page_ledger.hpp"
#include "sim/log/log_position.hpp"
#include "sim/page/log_layout.hpp"
#include "sim/page/page_codec.hpp"
#include "tests/sim/support/page_buffer.hpp"
#include "tests/support/catch.hpp"

using sim::FindingKind;
using sim::kPageBytes;
using sim::PageCondition;
using sim::testing::PageBuffer;

TEST_CASE("if another page came once and the right one later, the read was misdirected, not a write") {
    constexpr std::uint64_t kRun = 0x1122334455667788;
    const sim::RecoveredLog log{.run_id = kRun, .last_lsn = 900};
    const sim::ProvenPage page{.file_id = 1, .page_id = 9, .bound = {.newest = 1}};
    const PageBuffer other({kRun, 1, 10, 3, 500, 1});
    const sim::Finding once = sim::name_wrong_page(other.data(), page, log, true);
    CHECK(once.kind == FindingKind::misdirected_read);
    CHECK(once.transient);
    REQUIRE(once.other);
    CHECK(once.other->page_id == 10);
    CHECK(sim::name_wrong_page(other.data(), page, log, false).kind == FindingKind::misdirected_write);
    const sim::Finding unsteady = sim::name_wrong_page(other.data(), page, log, false, sim::LaterReads::all, true);
    CHECK(unsteady.kind == FindingKind::misdirected_read);
    CHECK_FALSE(unsteady.transient);
    CHECK_THAT(unsteady.description, !ContainsSubstring("holds"));
}

TEST_CASE("a page that was never written holds what was on the device before, unless a version of it is proven") {
    constexpr std::uint64_t kRun = 0x1122334455667788;
    const sim::RecoveredLog log{.run_id = kRun, .last_lsn = 900};
    sim::ProvenPage page{.file_id = 1, .page_id = 9, .bound = {}, .has_old_data = true};
    const PageBuffer noise;
    std::memset(noise.data(), 0x5a, kPageBytes);
    const PageBuffer of_other_run({kRun + 1, 3, 77, 5, 500, 1});
    for (const PageBuffer* old : {&noise, &of_other_run}) {
        page.bound = {};
        page.has_old_data = true;
        const sim::PageJudgement judgement = sim::judge_page(old->data(), page, log);
        CHECK(judgement.condition == PageCondition::sound);
        CHECK(judgement.version == 0);
        page.bound = {.newest = 1, .has_changed = 1};  // its first write was in flight
        CHECK(sim::judge_page(old->data(), page, log).condition == PageCondition::sound);
        page.bound = {.least = 1, .newest = 1};
        CHECK(sim::judge_page(old->data(), page, log).condition == PageCondition::wrong);
        page.bound = {};
        page.has_old_data = false;
        CHECK(sim::judge_page(old->data(), page, log).condition == PageCondition::wrong);
    }
    page.has_old_data = true;
    const PageBuffer misdirected({kRun, 1, 10, 1, 500, 1});
    CHECK(sim::judge_page(misdirected.data(), page, log).condition == PageCondition::wrong);
}

TEST_CASE("what the run has written where old data may be is not old data, unless a write was in flight") {
    constexpr std::uint64_t kRun = 0x1122334455667788;
    const sim::RecoveredLog log{.run_id = kRun, .last_lsn = 900};
    sim::ProvenPage page{.file_id = 1, .page_id = 9, .bound = {.newest = 1, .has_changed = 1}, .has_old_data = true};
    PageBuffer left({kRun, 1, 9, 1, 500, 1});
    const PageBuffer written(left);
    std::memset(left.data() + kPageBytes / 2, 0x5a, kPageBytes / 2);
    REQUIRE(sim::judge_page(left.data(), page, log).condition == PageCondition::sound);

    SECTION("the log has no change of the page") { page.bound = {}; }
    SECTION("a sector of it has a wrong bit") { left[3 * sim::kSectorBytes + 77] ^= std::byte{4}; }
    SECTION("it is complete but for a wrong bit") {
        std::memcpy(left.data(), written.data(), kPageBytes);
        left[5000] ^= std::byte{16};
    }
    SECTION("it has sectors of another page of the run") {
        const PageBuffer other({kRun, 1, 10, 1, 500, 1});
        std::memcpy(left.data() + kPageBytes / 2, other.data() + kPageBytes / 2, sim::kSectorBytes);
    }
    SECTION("a part of it was not read") { sim::stamp_not_read(left.data() + kPageBytes / 2, sim::kSectorBytes); }
    CHECK(sim::judge_page(left.data(), page, log).condition == PageCondition::wrong);
}

TEST_CASE("the first write of a page with old data may have been in flight if the log has a hole") {
    constexpr std::uint64_t kRun = 0x1122334455667788;
    const sim::RecoveredLog log{.run_id = kRun, .last_lsn = 900, .has_hole = true};
    const sim::ProvenPage page{.file_id = 1, .page_id = 9, .bound = {}, .has_old_data = true};
    PageBuffer left({kRun, 1, 9, 1, 1000, 1});
    std::memset(left.data() + kPageBytes / 2, 0x5a, kPageBytes / 2);
    CHECK(sim::judge_page(left.data(), page, log).condition == PageCondition::sound);
    left[3 * sim::kSectorBytes + 77] ^= std::byte{4};
    CHECK(sim::judge_page(left.data(), page, log).condition == PageCondition::wrong);
}

TEST_CASE("a page of a later incarnation than any in the log is not blamed if a part of the log could not be read") {
    constexpr std::uint64_t kRun = 0x1122334455667788;
    sim::RecoveredLog log{.run_id = kRun, .begin_lsn = sim::make_lsn(2, 1, 0), .last_lsn = sim::make_lsn(3, 1, 0)};
    const sim::ProvenPage page{.file_id = 1, .page_id = 9, .bound = {.least = 4, .newest = 4}};
    const PageBuffer before({kRun, 1, 9, 4, sim::make_lsn(1, 1, 0), 1});
    const PageBuffer later({kRun, 1, 9, 5, sim::make_lsn(sim::kVlfsPerIncarnation, 1, 0), 1});
    const PageBuffer same({kRun, 1, 9, 5, sim::make_lsn(4, 1, 0), 1});
    const PageBuffer torn(later);
    std::memcpy(torn.data() + kPageBytes / 2, before.data() + kPageBytes / 2, kPageBytes / 2);
    for (const PageBuffer* each : {&later, &torn, &same}) CHECK(sim::judge_page(each->data(), page, log).condition == PageCondition::wrong);
    log.is_partly_unread = true;
    CHECK(sim::judge_page(later.data(), page, log).condition == PageCondition::beyond_log);
    CHECK(sim::judge_page(torn.data(), page, log).condition == PageCondition::beyond_log);
    CHECK(sim::judge_page(same.data(), page, log).condition == PageCondition::wrong);
}

TEST_CASE("a page with old data in which no sector is of the run is not one that a write of the run has torn") {
    constexpr std::uint64_t kRun = 0x1122334455667788;
    const sim::RecoveredLog log{.run_id = kRun, .last_lsn = 900, .has_hole = true};
    const sim::ProvenPage page{.file_id = 1, .page_id = 9, .bound = {.newest = 1, .has_changed = 1}, .has_old_data = true};
    const PageBuffer left({0x99, 1, 9, 4, 500, 1});
    const PageBuffer older({0x99, 1, 9, 3, 400, 1});
    std::memcpy(left.data() + kPageBytes / 2, older.data() + kPageBytes / 2, kPageBytes / 2);
    CHECK(sim::judge_page(left.data(), page, log).condition == PageCondition::sound);
}

TEST_CASE("a page that may have been cut off in a missing part of the log may be new: zeros, or torn by any write, but not old") {
    constexpr std::uint64_t kRun = 0x1122334455667788;
    const sim::RecoveredLog log{.run_id = kRun, .begin_lsn = 100, .last_lsn = 900, .has_hole = true};
    sim::ProvenPage page{.file_id = 1, .page_id = 9, .bound = {.least = 4, .newest = 4}};
    const PageBuffer zeros;
    const PageBuffer torn({kRun, 1, 9, 1, 1000, 1});
    std::memset(torn.data() + kPageBytes / 2, 0, kPageBytes / 2);
    const PageBuffer whole({kRun, 1, 9, 1, 1000, 1});
    const PageBuffer old({kRun, 1, 9, 3, 800, 1});
    for (const PageBuffer* each : {&zeros, &torn, &old}) CHECK(sim::judge_page(each->data(), page, log).condition == PageCondition::wrong);
    page.may_be_cut_off = true;
    CHECK(sim::judge_page(zeros.data(), page, log).condition == PageCondition::sound);
    CHECK(sim::judge_page(torn.data(), page, log).condition == PageCondition::torn);
    CHECK(sim::judge_page(whole.data(), page, log).condition == PageCondition::beyond_log);
    CHECK(sim::judge_page(old.data(), page, log).condition == PageCondition::wrong);
}

TEST_CASE("what a ledger holds about a page that may have been cut off is demanded of it only if it is older than the missing part") {
    constexpr std::uint64_t kRun = 0x1122334455667788;
    const sim::RecoveredLog log{.run_id = kRun, .begin_lsn = 100, .last_lsn = 900, .has_hole = true};
    sim::ProvenPage page{.file_id = 1, .page_id = 9, .bound = {.least = 2, .newest = 3}};
    page.promised.version = 4;
    const PageBuffer zeros;
    const PageBuffer torn({kRun, 1, 9, 1, 1000, 1});
    std::memset(torn.data() + kPageBytes / 2, 0, kPageBytes / 2);
    const PageBuffer whole({kRun, 1, 9, 2, 1000, 1});
    const PageBuffer old({kRun, 1, 9, 3, 800, 1});
    for (const PageBuffer* each : {&zeros, &torn, &whole, &old}) {
        CHECK(sim::judge_page(each->data(), page, log).condition == PageCondition::wrong);
    }
    page.may_be_cut_off = true;
    CHECK(sim::judge_page(zeros.data(), page, log).condition == PageCondition::sound);
    CHECK(sim::judge_page(torn.data(), page, log).condition == PageCondition::torn);
    CHECK(sim::judge_page(whole.data(), page, log).condition == PageCondition::beyond_log);
    CHECK(sim::judge_page(old.data(), page, log).condition == PageCondition::wrong);
    const sim::Finding finding = sim::name_wrong_page(old.data(), page, log, false);
    CHECK(finding.kind == FindingKind::lost_write);
    CHECK(or_empty(finding.expected).version == 4);
}

TEST_CASE("a version beyond those that a run can make is wrong, whatever is promised") {
    constexpr std::uint64_t kRun = 0x1122334455667788;
    const sim::RecoveredLog log{.run_id = kRun, .last_lsn = 900};
    const PageBuffer impossible({kRun, 1, 9, sim::kVersionMax + 1, 500, 1});
    const sim::ProvenPage page{.file_id = 1, .page_id = 9, .bound = {.is_released = 1}};
    CHECK(sim::judge_page(impossible.data(), page, log).condition == PageCondition::wrong);
    CHECK(sim::name_wrong_page(impossible.data(), page, log, false).kind == FindingKind::future_version);
}

TEST_CASE("the promised version with another checksum is of another history of the file") {
    constexpr std::uint64_t kRun = 0x1122334455667788;
    const sim::RecoveredLog log{.run_id = kRun, .last_lsn = 900};
    const PageBuffer there({kRun, 1, 9, 3, 500, 1});
    const PageBuffer promised({kRun, 1, 9, 3, 400, 2});
    sim::ProvenPage page{.file_id = 1, .page_id = 9, .bound = {.least = 3, .newest = 3}};
    page.promised.version = 3;
    page.promised.checksum = sim::page_checksum(there.data());
    CHECK(sim::judge_page(there.data(), page, log).condition == PageCondition::sound);
    page.promised.checksum = sim::page_checksum(promised.data());
    CHECK(sim::judge_page(there.data(), page, log).condition == PageCondition::wrong);
    const sim::Finding finding = sim::name_wrong_page(there.data(), page, log, false);
    CHECK(finding.kind == FindingKind::lost_write);
    CHECK(or_empty(finding.expected).checksum == page.promised.checksum);
    CHECK(finding.evidence.expected_image.empty());
}

TEST_CASE("of a version that is not there, a verification claims neither LSN nor checksum nor time, nor what became of it") {
    constexpr std::uint64_t kRun = 0x1122334455667788;
    const sim::RecoveredLog log{.run_id = kRun, .last_lsn = 900};
    sim::ProvenPage page{.file_id = 1, .page_id = 9, .bound = {.least = 5, .newest = 5}};
    const PageBuffer older({kRun, 1, 9, 3, 300, 7'000'000});
    const PageBuffer written({kRun, 1, 9, 5, 500, 9'000'000});
    const PageBuffer torn(written);
    std::memcpy(torn.data(), older.data(), kPageBytes / 2);
    const PageBuffer zeros;
    for (const PageBuffer* left : {&older, &torn, &zeros}) {
        page.promised = {};
        const sim::Finding finding = sim::name_wrong_page(left->data(), page, log, false);
        CAPTURE(finding.description);
        CHECK(or_empty(finding.expected).version == 5);
        CHECK(or_empty(finding.expected).lsn == 0);
        CHECK(or_empty(finding.expected).checksum == 0);
        CHECK_FALSE(finding.evidence.is_write_time_known);
        for (const std::string& reason : finding.reasoning) CHECK_THAT(reason, !ContainsSubstring("never read back"));
        page.promised.version = 5;
        page.promised.checksum = 0x1234'5678;
        CHECK(or_empty(sim::name_wrong_page(left->data(), page, log, false).expected).checksum == 0x1234'5678);
    }
    // A header that is whole tells what was written, as its checksum proves.
    const PageBuffer flipped(written);
    flipped[5000] ^= std::byte{16};
    const sim::Finding damaged = sim::name_wrong_page(flipped.data(), page, log, false);
    CHECK(damaged.kind == FindingKind::bit_corruption);
    CHECK(or_empty(damaged.expected).lsn == 500);
    CHECK(damaged.evidence.is_write_time_known);
}

TEST_CASE("of foreign data on a page that the log does not mention, it is not said that nothing was ever written there") {
    constexpr std::uint64_t kRun = 0x1122334455667788;
    const sim::RecoveredLog log{.run_id = kRun, .begin_lsn = 600, .last_lsn = 900};
    const sim::ProvenPage page{.file_id = 1, .page_id = 9, .bound = {}};
    const PageBuffer noise;
    for (std::size_t i = 0; i < kPageBytes; ++i) noise[i] = static_cast<std::byte>(1 + i % 251);
    REQUIRE(sim::judge_page(noise.data(), page, log).condition == PageCondition::wrong);
    const sim::Finding finding = sim::name_wrong_page(noise.data(), page, log, false);
    CHECK(finding.kind == FindingKind::foreign_page);
    CHECK_THAT(finding.description, ContainsSubstring("Data that this run did not write came back."));
    for (const std::string& reason : finding.reasoning) CHECK_THAT(reason, !ContainsSubstring("must be zeros"));
    // There is nothing with which it could be compared, least of all its own header.
    CHECK_FALSE(finding.expected);
    CHECK(or_empty(finding.comparison).wrong_bytes == 0);
    CHECK(or_empty(finding.comparison).sectors.size() == sim::kSectorsPerPage);
}

TEST_CASE("a page of an earlier run that has a wrong bit, but no sector of another write, is damaged, not torn") {
    constexpr std::uint64_t kRun = 0x1122334455667788;
    const sim::RecoveredLog log{.run_id = kRun, .last_lsn = 900};
    const sim::ProvenPage page{.file_id = 1, .page_id = 9, .bound = {}};
    PageBuffer left({0x99, 1, 9, 4, 950, 2'000'000});
    REQUIRE(sim::judge_page(left.data(), page, log).condition == PageCondition::sound);
    for (const std::size_t at : {offsetof(sim::PageHeader, checksum), offsetof(sim::PageHeader, lsn), offsetof(sim::PageHeader, run_id),
                                 offsetof(sim::PageHeader, write_utc_us)}) {
        CAPTURE(at);
        left.data()[at] ^= std::byte{4};
        CHECK(sim::judge_page(left.data(), page, log).condition == PageCondition::wrong);
        left.data()[at] ^= std::byte{4};
    }
}

TEST_CASE("no checkpoint is named where there is none") {
    constexpr std::uint64_t kRun = 0x1122334455667788;
    sim::RecoveredLog log{.run_id = kRun, .last_lsn = 900};
    const auto reasons = [&log](const PageBuffer& image, const sim::ProvenPage& page) {
        const sim::Finding finding = sim::name_wrong_page(image.data(), page, log, false);
        return fmt::format("{}", fmt::join(finding.reasoning, " "));
    };
    const PageBuffer zeros;
    const sim::ProvenPage signature{.file_id = 1, .page_id = 0, .bound = {.least = 1}};
    CHECK_THAT(reasons(zeros, signature), ContainsSubstring("the file was made and synced with it"));
    const sim::ProvenPage changed{.file_id = 1, .page_id = 9, .bound = {.least = 2, .newest = 3, .has_changed = 1}};
    const PageBuffer older({kRun, 1, 9, 1, 500, 1});
    CHECK_THAT(reasons(older, changed), ContainsSubstring("the first change of the page in the log"));
    const sim::ProvenPage unknown{.file_id = 1, .page_id = 9, .bound = {}};
    CHECK_THAT(reasons(older, unknown), ContainsSubstring("the log has every change of the run, and none of this page"));
    CHECK_THAT(reasons(older, unknown), !ContainsSubstring("checkpoint"));
    log.begin_lsn = 400;
    CHECK_THAT(reasons(older, unknown), ContainsSubstring("from LSN 0x190 on"));
}

TEST_CASE("of a page that came once, and right later, it is not said that it is there, nor that a write was lost") {
    constexpr std::uint64_t kRun = 0x1122334455667788;
    const sim::RecoveredLog log{.run_id = kRun, .begin_lsn = 600, .last_lsn = 900};
    const sim::ProvenPage page{.file_id = 1, .page_id = 9, .bound = {.least = 3, .newest = 3}};
    const PageBuffer older({kRun, 1, 9, 2, 400, 1});
    const PageBuffer of_earlier_run({kRun + 1, 1, 9, 5, 400, 1});
    const PageBuffer beyond({kRun, 1, 9, 4, 950, 1});
    const PageBuffer unlogged({kRun, 1, 9, 4, 850, 1});
    const std::pair<const PageBuffer*, FindingKind> images[] = {{&older, FindingKind::stale_read},
                                                                {&of_earlier_run, FindingKind::stale_read},
                                                                {&beyond, FindingKind::wal_violation},
                                                                {&unlogged, FindingKind::future_version}};
    for (const auto& [image, kind] : images) {
        const sim::Finding once = sim::name_wrong_page(image->data(), page, log, true);
        CAPTURE(once.description);
        CHECK(once.kind == kind);
        CHECK_THAT(once.description, ContainsSubstring("came back"));
        CHECK_THAT(once.description, !ContainsSubstring("still holds"));
        CHECK_THAT(once.description, !ContainsSubstring("is there"));
        for (const std::string& reason : once.reasoning) CHECK_THAT(reason, !ContainsSubstring("lost an acknowledged write"));
    }
    CHECK(sim::name_wrong_page(of_earlier_run.data(), page, log, false).kind == FindingKind::lost_write);
}

TEST_CASE("a page that should not be there is not compared with itself") {
    constexpr std::uint64_t kRun = 0x1122334455667788;
    const sim::RecoveredLog log{.run_id = kRun, .begin_lsn = 600, .last_lsn = 900};
    const PageBuffer ahead({kRun, 1, 9, 4, 950, 1});
    CHECK_FALSE(sim::name_wrong_page(ahead.data(), {.file_id = 1, .page_id = 9, .bound = {}}, log, false).comparison);
    const sim::ProvenPage known{.file_id = 1, .page_id = 9, .bound = {.least = 3, .newest = 3}};
    CHECK(or_empty(sim::name_wrong_page(ahead.data(), known, log, false).comparison).wrong_bytes > 0);
}
