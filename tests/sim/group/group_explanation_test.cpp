#include "sim/group/group_explanation.hpp"

#include <cstring>

#include "sim/log/log_position.hpp"
#include "sim/page/log_layout.hpp"
#include "sim/page/page_codec.hpp"
#include "tests/support/catch.hpp"

using sim::Finding;
using sim::FindingKind;
using sim::GroupFactKind;

namespace {

constexpr std::uint64_t kRun = 0x1111'2222'3333'4444;
constexpr std::uint64_t kOtherRun = 0x5555'6666'7777'8888;
constexpr std::uint64_t kSecondUs = 1'000'000;
constexpr std::uint64_t kTurnEndUs = 1'000 * kSecondUs;    // by the witness's clock
constexpr std::int64_t kOldHostOffsetUs = -7 * 1'000'000;  // the clock of the old owner is seven seconds fast
constexpr std::uint32_t kOurVlf = sim::kVlfsPerIncarnation;
constexpr std::uint32_t kFile = 1;
constexpr std::uint32_t kPage = 5;
constexpr std::uint32_t kTakenOver = 10;  // version of that page

std::uint64_t old_host_clock(std::uint64_t witness_us) { return witness_us - static_cast<std::uint64_t>(kOldHostOffsetUs); }

sim::GroupKnowledge second_owner() {
    sim::GroupKnowledge group;
    group.run_id = kRun;
    group.rank = 1;
    group.is_taking_over = true;
    group.owners = {{0, "node-0", 1, 1, kTurnEndUs, kOldHostOffsetUs}};
    group.members = {{0, "node-0", kRun, {"/v/a.mdx"}, "gone", kOldHostOffsetUs}, {1, "node-1", kRun, {"/v/a.mdx"}, "working", 0}};
    sim::TakeOver taken;
    taken.run_id = kRun;
    taken.incarnation = 2;
    taken.first_vlf = kOurVlf;
    taken.last_lsn = sim::make_lsn(9, 100, 0);
    taken.redo_utc_us = kTurnEndUs + 50 * kSecondUs;
    taken.utc_us = kTurnEndUs + 60 * kSecondUs;
    taken.versions[kFile] = std::vector<std::uint32_t>(16, kTakenOver);
    group.taken_over = taken;
    return group;
}

std::vector<std::byte> image_of(const sim::PageIdentity& identity) {
    alignas(8) std::array<std::byte, sim::kPageBytes> page{};
    sim::make_page(identity, page.data());
    return {page.begin(), page.end()};
}

Finding finding_of(FindingKind kind, std::vector<std::byte> image, bool is_transient = false) {
    Finding finding;
    finding.kind = kind;
    finding.transient = is_transient;
    finding.place.file_id = kFile;
    finding.place.page_id = kPage;
    finding.place.path = "/v/a.mdx";
    finding.evidence.image = std::move(image);
    finding.description = "It is wrong.";
    return finding;
}

std::optional<GroupFactKind> fact_of(Finding finding, const sim::GroupKnowledge& group) {
    sim::explain(finding, group);
    return finding.group_fact ? std::optional(finding.group_fact->kind) : std::nullopt;
}

}  // namespace

TEST_CASE("a page of another member's run is explained by host, file, page and time") {
    sim::GroupKnowledge group;
    group.run_id = kRun;
    group.members = {{0, "node-0", kRun, {"/a/x.mdx"}, "working", 0}, {3, "node-3", kOtherRun, {"/b/x.mdx", "/b/y.mdx"}, "working", 250}};
    Finding finding = finding_of(FindingKind::foreign_page, image_of({kOtherRun, 2, 77, 4, 9, 5000}));
    sim::explain(finding, group);
    REQUIRE(finding.group_fact);
    CHECK(finding.group_fact->kind == GroupFactKind::other_host);
    CHECK(finding.group_fact->host == "node-3");
    CHECK(finding.group_fact->path == "/b/y.mdx");
    CHECK(finding.group_fact->page_id == 77);
    CHECK(finding.group_fact->utc_us == 5250);
    CHECK_THAT(finding.description, ContainsSubstring("another host's page"));
    CHECK(fact_of(finding_of(FindingKind::foreign_page, image_of({0x99, 2, 77, 4, 9, 5000})), group) == std::nullopt);
    CHECK(fact_of(finding_of(FindingKind::lost_write, image_of({kRun, 1, kPage, 4, 9, 5000})), group) == std::nullopt);
}

TEST_CASE("a chunk of another member's chain of backups is explained by its host") {
    sim::GroupKnowledge group;
    group.run_id = kRun;
    group.members = {{0, "node-0", kRun, {"/a/x.mdx"}, "working", 0}, {3, "node-3", kOtherRun, {"/b/x.mdx"}, "working", 250}};
    Finding finding = finding_of(FindingKind::log_stale_block, std::vector<std::byte>(4096));
    finding.received = sim::ReceivedIdentity{.run_id = kOtherRun};
    CHECK(fact_of(finding, group) == std::nullopt);
    finding.place.role = sim::FileRole::backup_chain;
    sim::explain(finding, group);
    REQUIRE(finding.group_fact);
    CHECK(finding.group_fact->kind == GroupFactKind::other_host);
    CHECK(finding.group_fact->host == "node-3");
    CHECK_THAT(finding.description, ContainsSubstring("a chunk of its chain of backups"));
    finding.group_fact.reset();
    finding.received->run_id = kRun;
    CHECK(fact_of(finding, group) == std::nullopt);
}

TEST_CASE("sectors of another member's run are explained even under a header of our own") {
    sim::GroupKnowledge group;
    group.run_id = kRun;
    group.members = {{1, "node-1", kOtherRun, {"/b/x.mdx"}, "working", 0}};
    std::vector<std::byte> image = image_of({kRun, kFile, kPage, 4, 9, 5000});
    const std::vector<std::byte> foreign = image_of({kOtherRun, 1, 33, 2, 9, 5000});
    std::copy(foreign.begin() + 4096, foreign.end(), image.begin() + 4096);
    Finding finding = finding_of(FindingKind::bit_corruption, image);
    finding.comparison.emplace().sectors.resize(sim::kSectorsPerPage);
    for (std::size_t i = 8; i < sim::kSectorsPerPage; ++i) finding.comparison->sectors[i].state = sim::SectorState::foreign;
    sim::explain(finding, group);
    REQUIRE(finding.group_fact);
    CHECK(finding.group_fact->kind == GroupFactKind::other_host);
    CHECK(finding.group_fact->page_id == 33);
}

TEST_CASE("a change that was neither in the log at the hand-over nor ours is a zombie's") {
    const sim::GroupKnowledge group = second_owner();
    const auto fact = [&](std::uint64_t lsn, std::uint32_t version, std::uint64_t made_us) {
        return fact_of(finding_of(FindingKind::future_version, image_of({kRun, kFile, kPage, version, lsn, made_us})), group);
    };
    const std::uint64_t before_end = old_host_clock(kTurnEndUs - kSecondUs);
    CHECK(fact(group.taken_over->last_lsn + 1, 12, before_end) == GroupFactKind::zombie_owner);
    CHECK(fact(sim::make_lsn(kOurVlf - 1, 0, 0), 12, before_end) == GroupFactKind::zombie_owner);
    CHECK(fact(sim::make_lsn(kOurVlf, 0, 0), 12, old_host_clock(kTurnEndUs + 9 * kSecondUs)) == std::nullopt);
}

TEST_CASE("an old change is a zombie's only if its image was made after its owner's end, by the witness's clock") {
    const sim::GroupKnowledge group = second_owner();
    const auto fact = [&](std::uint32_t version, std::uint64_t made_us) {
        return fact_of(finding_of(FindingKind::reverted_page, image_of({kRun, kFile, kPage, version, 50, made_us})), group);
    };
    CHECK(fact(8, old_host_clock(kTurnEndUs + 2 * kSecondUs)) == GroupFactKind::zombie_owner);
    // By the old host's fast clock alone it would have been made six seconds after the end.
    CHECK(fact(8, old_host_clock(kTurnEndUs - kSecondUs)) == GroupFactKind::late_write);
    // Pages written by the new owner's redo have an old LSN and a new time.
    CHECK(fact(kTakenOver, kTurnEndUs + 60 * kSecondUs) != GroupFactKind::zombie_owner);
    CHECK(fact(kTakenOver, kTurnEndUs + 70 * kSecondUs) == GroupFactKind::zombie_owner);
}

TEST_CASE("an owner whose clock is slow is a zombie, too, if it writes again what the new owner has found") {
    sim::GroupKnowledge group = second_owner();
    constexpr std::uint64_t kSlowUs = 600 * kSecondUs;
    group.owners[0].clock_offset_us = group.members[0].clock_offset_us = static_cast<std::int64_t>(kSlowUs);
    const auto fact = [&](std::uint64_t made_us) {
        return fact_of(finding_of(FindingKind::lost_write, image_of({kRun, kFile, kPage, kTakenOver, 50, made_us})), group);
    };
    CHECK(fact(kTurnEndUs + 70 * kSecondUs - kSlowUs) == GroupFactKind::zombie_owner);
    // Found when the files were taken over, whoever made it: this host's redo, by its own clock, or that owner, even after its end.
    CHECK(fact(kTurnEndUs + 55 * kSecondUs) == std::nullopt);
    CHECK(fact(kTurnEndUs - kSecondUs - kSlowUs) == std::nullopt);
    CHECK(fact(kTurnEndUs + 40 * kSecondUs - kSlowUs) == std::nullopt);
}

TEST_CASE("an image that an owner in between may have redone is not the doing of the owner that made the change") {
    sim::GroupKnowledge group = second_owner();
    group.rank = 2;
    group.owners.push_back({1, "node-1", 2, kOurVlf, kTurnEndUs + 100 * kSecondUs, 0});
    group.taken_over->incarnation = 3;
    group.taken_over->first_vlf = 2 * sim::kVlfsPerIncarnation;
    group.taken_over->last_lsn = sim::make_lsn(kOurVlf + 9, 100, 0);
    group.taken_over->utc_us = kTurnEndUs + 160 * kSecondUs;
    const auto fact = [&](std::uint64_t lsn, std::uint64_t made_us) {
        return fact_of(finding_of(FindingKind::reverted_page, image_of({kRun, kFile, kPage, 8, lsn, made_us})), group);
    };
    CHECK(fact(50, kTurnEndUs + 60 * kSecondUs) == GroupFactKind::late_write);
    // After the end of the last owner before us, nobody but us may have redone it.
    CHECK(fact(sim::make_lsn(kOurVlf, 50, 0), kTurnEndUs + 110 * kSecondUs) == GroupFactKind::zombie_owner);
}

TEST_CASE("an image of an owner that is no longer known is not blamed on the oldest one that is") {
    sim::GroupKnowledge group = second_owner();
    group.owners = {{0, "node-0", 2, kOurVlf, kTurnEndUs, kOldHostOffsetUs}};
    group.taken_over->incarnation = 3;
    group.taken_over->first_vlf = 2 * sim::kVlfsPerIncarnation;
    group.taken_over->last_lsn = sim::make_lsn(kOurVlf, 100, 0);
    const auto fact = [&](std::uint64_t lsn) {
        return fact_of(finding_of(FindingKind::stale_read, image_of({kRun, kFile, kPage, kTakenOver - 1, lsn, 1000}), true), group);
    };
    CHECK(fact(sim::make_lsn(kOurVlf, 50, 0)) == GroupFactKind::stale_on_new_owner);
    CHECK(fact(sim::make_lsn(kOurVlf - 1, 50, 0)) == std::nullopt);
}

TEST_CASE("an older image over a newer one that was read before is a late write, but a lost write of our own is not") {
    const sim::GroupKnowledge group = second_owner();
    const auto fact = [&](FindingKind kind, std::uint32_t version, bool is_transient) {
        return fact_of(finding_of(kind, image_of({kRun, kFile, kPage, version, 50, 1000}), is_transient), group);
    };
    CHECK(fact(FindingKind::lost_write, kTakenOver - 1, false) == GroupFactKind::late_write);
    CHECK(fact(FindingKind::reverted_page, kTakenOver, false) == GroupFactKind::late_write);
    CHECK(fact(FindingKind::lost_write, kTakenOver, false) == std::nullopt);
    CHECK(fact(FindingKind::stale_read, kTakenOver - 1, true) == GroupFactKind::stale_on_new_owner);
}

TEST_CASE("a later read of an earlier owner's image is said to have been right only if one was") {
    const sim::GroupKnowledge group = second_owner();
    Finding finding = finding_of(FindingKind::stale_read, image_of({kRun, kFile, kPage, kTakenOver - 1, 50, 1000}), true);
    SECTION("it was") {
        finding.rereads = {{.attempt = 1, .result = sim::RereadResult::same_image}, {.attempt = 2, .result = sim::RereadResult::right}};
        sim::explain(finding, group);
        CHECK_THAT(finding.group_fact.value().text, ContainsSubstring("had written earlier; a later read was right."));
    }
    SECTION("the page was overwritten before it was read again") {
        sim::explain(finding, group);
        CHECK_THAT(finding.group_fact.value().text, ContainsSubstring("had written earlier."));
    }
    SECTION("it was wrong in another way") {
        finding.rereads = {{.attempt = 1, .result = sim::RereadResult::other_image}};
        sim::explain(finding, group);
        CHECK_THAT(finding.group_fact.value().text, ContainsSubstring("had written earlier."));
    }
}

TEST_CASE("a fault found during the takeover is named according to what later reads return") {
    sim::GroupKnowledge group = second_owner();
    group.taken_over.reset();
    const auto fact = [&](FindingKind kind, bool is_transient) {
        return fact_of(finding_of(kind, image_of({kRun, kFile, kPage, 3, 50, 1000}), is_transient), group);
    };
    CHECK(fact(FindingKind::lost_write, false) == GroupFactKind::missing_after_hand_over);
    CHECK(fact(FindingKind::lost_write, true) == GroupFactKind::stale_on_new_owner);
    CHECK(fact(FindingKind::torn_page, false) == GroupFactKind::torn_by_hand_over);
    CHECK(fact(FindingKind::io_error, false) == std::nullopt);
    Finding nothing = finding_of(FindingKind::log_gap, {});
    CHECK(fact_of(nothing, group) == GroupFactKind::missing_after_hand_over);
}

TEST_CASE("a block of the log shows its incarnation and the time of its write") {
    const sim::GroupKnowledge group = second_owner();
    sim::LogBlockHeader block{};
    block.magic = sim::kLogMagic;
    block.run_id = kRun;
    block.incarnation = 1;
    block.first_lsn = group.taken_over->last_lsn + 4096;
    std::vector<std::byte> image(512);
    std::memcpy(image.data(), &block, sizeof block);
    Finding finding = finding_of(FindingKind::log_stale_block, image);
    finding.place.is_log = true;
    CHECK(fact_of(finding, group) == GroupFactKind::zombie_owner);
    // A block that was there when the files were taken over is not.
    block.first_lsn = group.taken_over->last_lsn;
    block.write_utc_us = old_host_clock(kTurnEndUs - kSecondUs);
    std::memcpy(image.data(), &block, sizeof block);
    finding.evidence.image = image;
    CHECK(fact_of(finding, group) == std::nullopt);
}

TEST_CASE("a run that created its own files blames no earlier owner") {
    sim::GroupKnowledge group = second_owner();
    group.owners.clear();
    group.is_taking_over = false;
    group.taken_over.reset();
    CHECK(fact_of(finding_of(FindingKind::lost_write, image_of({kRun, kFile, kPage, 3, 50, 1000})), group) == std::nullopt);
}
