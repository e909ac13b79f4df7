// A page that a crash has torn: what may have been in flight, and what no write explains.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "sim/page/page_codec.hpp"
#include "sim/verify/page_judge.hpp"
#include "tests/sim/support/page_buffer.hpp"
#include "tests/support/catch.hpp"

using sim::FindingKind;
using sim::kPageBytes;
using sim::PageCondition;
using sim::testing::PageBuffer;

TEST_CASE("a half-written page that the log does not mention is torn, not reverted") {
    constexpr std::uint64_t kRun = 0x1122334455667788;
    const sim::RecoveredLog empty_log{.run_id = kRun};
    const sim::ProvenPage page{.file_id = 1, .page_id = 9, .bound = {}};
    PageBuffer half;
    sim::make_page({kRun, 1, 9, 1, 500, 1}, half.data());
    std::memset(half.data(), 0, kPageBytes / 2);
    REQUIRE(sim::judge_page(half.data(), page, empty_log).condition == PageCondition::wrong);
    const sim::Finding finding = sim::name_wrong_page(half.data(), page, empty_log, false);
    CHECK(finding.kind == FindingKind::torn_page);
    CHECK(finding.description == "The page is torn: its sectors are of several versions.");
}

TEST_CASE("a torn page that was torn again while recovery rewrote it is one version written twice, which is no finding") {
    constexpr std::uint64_t kRun = 0x1122334455667788;
    const sim::RecoveredLog log{.run_id = kRun, .last_lsn = 900};
    sim::ProvenPage page{.file_id = 1, .page_id = 9, .bound = {.newest = 1, .has_changed = 1}};
    PageBuffer left;
    PageBuffer redone;
    sim::make_page({kRun, 1, 9, 1, 500, 1}, left.data());
    sim::make_page({kRun, 1, 9, 1, 500, 2'000'000}, redone.data());
    std::memcpy(left.data(), redone.data(), sim::kSectorBytes);
    std::memset(left.data() + kPageBytes / 2, 0, kPageBytes / 2);
    const sim::PageJudgement judgement = sim::judge_page(left.data(), page, log);
    CHECK(judgement.condition == PageCondition::torn);
    CHECK(judgement.version == 1);

    SECTION("a sector with a wrong bit belongs to neither write") {
        left.data()[3 * sim::kSectorBytes + 77] ^= std::byte{4};
        CHECK(sim::judge_page(left.data(), page, log).condition == PageCondition::wrong);
    }
    SECTION("if no write can have been in flight, it is a finding") {
        page.bound.has_changed = 0;
        CHECK(sim::judge_page(left.data(), page, log).condition == PageCondition::wrong);
    }
}

TEST_CASE("a page torn between an older version and one that the log knows is torn, not of the future") {
    constexpr std::uint64_t kRun = 0x1122334455667788;
    const sim::RecoveredLog log{.run_id = kRun, .begin_lsn = 600, .last_lsn = 900};
    const sim::ProvenPage page{.file_id = 1, .page_id = 9, .bound = {.least = 2, .newest = 3, .has_changed = 1}};
    PageBuffer left({kRun, 1, 9, 1, 500, 1});
    const PageBuffer newer({kRun, 1, 9, 3, 700, 2'000'000});
    std::memcpy(left.data() + kPageBytes / 2, newer.data() + kPageBytes / 2, kPageBytes / 2);
    REQUIRE(sim::judge_page(left.data(), page, log).condition == PageCondition::wrong);
    CHECK(sim::name_wrong_page(left.data(), page, log, false).kind == FindingKind::torn_page);
}

TEST_CASE("if the log has a hole, a page that is torn by a change behind it is ahead of the log, for which the page is not to blame") {
    constexpr std::uint64_t kRun = 0x1122334455667788;
    sim::RecoveredLog log{.run_id = kRun, .begin_lsn = 600, .last_lsn = 900, .has_hole = true};
    const sim::ProvenPage page{.file_id = 1, .page_id = 9, .bound = {.least = 2, .newest = 2}};
    PageBuffer left({kRun, 1, 9, 2, 500, 1});
    const PageBuffer newer({kRun, 1, 9, 3, 950, 2'000'000});
    std::memcpy(left.data() + kPageBytes / 2, newer.data() + kPageBytes / 2, kPageBytes / 2);
    CHECK(sim::judge_page(left.data(), page, log).condition == PageCondition::beyond_log);
    log.has_hole = false;
    CHECK(sim::judge_page(left.data(), page, log).condition == PageCondition::wrong);
}

TEST_CASE("if the log has a hole, a torn page that the rest of the log does not mention may have been changed behind the hole") {
    constexpr std::uint64_t kRun = 0x1122334455667788;
    sim::RecoveredLog log{.run_id = kRun, .begin_lsn = 600, .last_lsn = 900, .has_hole = true};
    const sim::ProvenPage page{.file_id = 1, .page_id = 9, .bound = {}};
    PageBuffer left({kRun, 1, 9, 4, 950, 2'000'000});
    const PageBuffer older({kRun, 1, 9, 3, 500, 1});
    std::memcpy(left.data() + kPageBytes / 2, older.data() + kPageBytes / 2, kPageBytes / 2);
    CHECK(sim::judge_page(left.data(), page, log).condition == PageCondition::beyond_log);
    log.has_hole = false;
    CHECK(sim::judge_page(left.data(), page, log).condition == PageCondition::wrong);
}

TEST_CASE("a page torn between zeros, or an older version, and one that the log has lost is torn, not foreign or damaged") {
    constexpr std::uint64_t kRun = 0x1122334455667788;
    const sim::RecoveredLog log{.run_id = kRun, .begin_lsn = 600, .last_lsn = 900};
    const sim::ProvenPage page{.file_id = 1, .page_id = 9, .bound = {.newest = 3, .has_changed = 1}};
    const PageBuffer ahead({kRun, 1, 9, 4, 950, 2'000'000});
    const PageBuffer known({kRun, 1, 9, 3, 800, 1'000'000});
    const PageBuffer older({kRun, 1, 9, 2, 700, 1});
    const PageBuffer zeros;
    PageBuffer left;
    const auto keep_from = [&left](std::size_t from, const PageBuffer& other) {
        std::memcpy(left.data() + from, other.data() + from, kPageBytes - from);
    };
    SECTION("the beginning was never written") { keep_from(kPageBytes - 3 * sim::kSectorBytes, ahead); }
    SECTION("the end was never written") {
        keep_from(0, ahead);
        keep_from(3 * sim::kSectorBytes, zeros);
    }
    SECTION("it is of three versions") {
        keep_from(0, older);
        keep_from(kPageBytes / 2, known);
        keep_from(kPageBytes - 3 * sim::kSectorBytes, ahead);
    }
    REQUIRE(sim::judge_page(left.data(), page, log).condition == PageCondition::wrong);
    CHECK(sim::name_wrong_page(left.data(), page, log, false).kind == FindingKind::torn_page);
}

TEST_CASE("a torn page holds no sector of a version older than the one that had been acknowledged") {
    constexpr std::uint64_t kRun = 0x1122334455667788;
    const sim::RecoveredLog log{.run_id = kRun, .last_lsn = 900};
    const sim::ProvenPage page{.file_id = 1, .page_id = 9, .bound = {.least = 5, .newest = 6, .has_changed = 1}};
    for (const std::uint32_t older : {4U, 5U}) {
        CAPTURE(older);
        PageBuffer torn({kRun, 1, 9, 6, 600, 1});
        const PageBuffer left({kRun, 1, 9, older, 100 * older, 1});
        std::memcpy(torn.data() + kPageBytes / 2, left.data() + kPageBytes / 2, kPageBytes / 2);
        CHECK(sim::judge_page(torn.data(), page, log).condition == (older == 5 ? PageCondition::torn : PageCondition::wrong));
    }
}

TEST_CASE("a torn page that the checkpoint excepts shows no version that the log should have and does not") {
    constexpr std::uint64_t kRun = 0x1122334455667788;
    sim::RecoveredLog log{.run_id = kRun, .begin_lsn = 600, .last_lsn = 900};
    sim::ProvenPage page{.file_id = 1, .page_id = 9, .bound = {.newest = 6, .has_changed = 1, .is_released = 1}};
    PageBuffer torn({kRun, 1, 9, 4, 500, 1});
    const PageBuffer newer({kRun, 1, 9, 7, 950, 2'000'000});
    std::memcpy(torn.data() + kPageBytes / 2, newer.data() + kPageBytes / 2, kPageBytes / 2);
    REQUIRE(sim::judge_page(torn.data(), page, log).condition == PageCondition::wrong);

    SECTION("a failed write of a version that the log has may have arrived in part") { page.bound.newest = 7; }
    SECTION("if the log does not mention the page, nothing says which versions it had") { page.bound.newest = page.bound.has_changed = 0; }
    SECTION("what was cut off may have had any version") { page.bound.is_any_legal = 1; }
    SECTION("if the log has a hole, the change may be behind it") { log.has_hole = true; }
    const sim::PageJudgement judgement = sim::judge_page(torn.data(), page, log);
    CHECK(judgement.condition == PageCondition::torn);
    CHECK(judgement.version == 7);  // the next change must appear new
}

TEST_CASE("a page that a cut of an earlier run tore, in a file that was taken over, is what that run left, unless the log demands more") {
    constexpr std::uint64_t kRun = 0x1122334455667788;
    constexpr std::uint64_t kEarlier = 0x99;
    const sim::RecoveredLog log{.run_id = kRun, .last_lsn = 900};
    sim::ProvenPage page{.file_id = 1, .page_id = 9, .bound = {}};
    PageBuffer left({kEarlier, 1, 9, 4, 950, 2'000'000});
    const PageBuffer older({kEarlier, 1, 9, 3, 500, 1});
    std::memcpy(left.data() + kPageBytes / 2, older.data() + kPageBytes / 2, kPageBytes / 2);
    std::memset(left.data() + kPageBytes - sim::kSectorBytes, 0, sim::kSectorBytes);
    const sim::PageJudgement judgement = sim::judge_page(left.data(), page, log);
    CHECK(judgement.condition == PageCondition::sound);
    CHECK(judgement.version == 0);
    const auto is_wrong = [&] { return sim::judge_page(left.data(), page, log).condition == PageCondition::wrong; };

    SECTION("a page that was promised is lost") {
        page.bound.least = 1;
        CHECK(is_wrong());
    }
    SECTION("a page that the run has changed must show the change") {
        page.bound.least = 1;
        page.bound.newest = 1;
        CHECK(is_wrong());
    }
    SECTION("a sector with a wrong bit was not left by anyone") {
        left.data()[3 * sim::kSectorBytes + 77] ^= std::byte{4};
        CHECK(is_wrong());
    }
    SECTION("a header with a wrong bit was not left by anyone, wherever the bit is") {
        for (std::size_t at = 0; at < sizeof(sim::PageHeader); ++at) {
            CAPTURE(at);
            left.data()[at] ^= std::byte{4};
            CHECK(is_wrong());
            left.data()[at] ^= std::byte{4};
        }
    }
    SECTION("a sector that belongs elsewhere in the page is misplaced") {
        std::memcpy(left.data() + 3 * sim::kSectorBytes, left.data() + 4 * sim::kSectorBytes, sim::kSectorBytes);
        CHECK(is_wrong());
    }
    SECTION("a sector of this run shows a write that its log does not have") {
        const PageBuffer ours({kRun, 1, 9, 1, 800, 3});
        std::memcpy(left.data() + 3 * sim::kSectorBytes, ours.data() + 3 * sim::kSectorBytes, sim::kSectorBytes);
        CHECK(is_wrong());
    }
}

TEST_CASE("if the log has a hole, it is not said that no write of a torn page was in flight") {
    constexpr std::uint64_t kRun = 0x1122334455667788;
    sim::RecoveredLog log{.run_id = kRun, .begin_lsn = 600, .last_lsn = 900};
    const sim::ProvenPage page{.file_id = 1, .page_id = 9, .bound = {.least = 3, .newest = 3}};
    const PageBuffer torn({kRun, 1, 9, 3, 500, 2});
    const PageBuffer older({kRun, 1, 9, 2, 400, 1});
    std::memcpy(torn.data() + kPageBytes / 2, older.data() + kPageBytes / 2, kPageBytes / 2);
    for (const bool has_hole : {false, true}) {
        log.has_hole = has_hole;
        REQUIRE(sim::judge_page(torn.data(), page, log).condition == PageCondition::wrong);
        const sim::Finding finding = sim::name_wrong_page(torn.data(), page, log, false);
        CHECK(finding.kind == FindingKind::torn_page);
        const auto is_said = [](const std::string& reason) { return reason.find("in flight") != std::string::npos; };
        CHECK(std::any_of(finding.reasoning.begin(), finding.reasoning.end(), is_said) == !has_hole);
    }
}
