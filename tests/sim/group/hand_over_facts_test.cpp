// What a group of hosts can tell about a finding.
#include <cstring>
#include <set>

#include "sim/group/group_explanation.hpp"
#include "sim/page/log_layout.hpp"
#include "sim/page/page_codec.hpp"
#include "tests/sim/support/page_buffer.hpp"
#include "tests/support/catch.hpp"

using sim::Finding;
using sim::FindingKind;
using sim::GroupFactKind;
using sim::GroupKnowledge;

namespace {

constexpr std::uint64_t kHandedRun = 0x1111'2222'3333'4444;
constexpr std::uint64_t kStrangeRun = 0x9999'8888'7777'6666;
constexpr std::uint64_t kImageMade = 1'764'000'000'000'000;
constexpr std::uint32_t kNewOwnersVlf = sim::make_lsn(65536, 0, 0) >> 32;

// A finding with a sound image of another version of the page.
Finding page_finding(FindingKind kind, std::uint32_t version, std::uint64_t lsn, std::uint64_t run_id = kHandedRun) {
    const sim::testing::PageBuffer page(sim::PageIdentity{run_id, 1, 17, version, lsn, kImageMade});
    Finding finding;
    finding.kind = kind;
    finding.place.file_id = 1;
    finding.place.page_id = 17;
    finding.evidence.image.assign(page.data(), page.data() + sim::kPageBytes);
    return finding;
}

// A block of the log of node-a that only a later read returned.
Finding finding_of_late_block(std::uint64_t made_utc_us) {
    sim::LogBlockHeader header{};
    header.magic = sim::kLogMagic;
    header.run_id = kHandedRun;
    header.first_lsn = sim::make_lsn(2, 200, 0);
    header.write_utc_us = made_utc_us;
    header.incarnation = 1;
    Finding finding;
    finding.kind = FindingKind::log_gap;
    finding.transient = true;
    finding.place.is_log = true;
    finding.evidence.expected_image.resize(sizeof header);
    std::memcpy(finding.evidence.expected_image.data(), &header, sizeof header);
    return finding;
}

// Rank 1 on node-b, which takes over, or has taken over, the files that rank 0 on node-a owned up to VLF 2, sector 100.
GroupKnowledge owner_after_node_a(bool has_taken_over, std::uint32_t version_taken_over = 0) {
    GroupKnowledge knowledge;
    knowledge.run_id = kHandedRun;
    knowledge.rank = 1;
    knowledge.is_taking_over = true;
    sim::KnownOwner before;
    before.host = "node-a";
    before.incarnation = 1;
    before.last_lsn = sim::make_lsn(2, 100, 5);
    knowledge.owners.push_back(before);
    if (!has_taken_over) return knowledge;
    sim::TakeOver what;
    what.run_id = kHandedRun;
    what.incarnation = 2;
    what.first_vlf = kNewOwnersVlf;
    what.last_lsn = before.last_lsn;
    what.versions[1] = std::vector<std::uint32_t>(100, version_taken_over);
    knowledge.taken_over = what;
    return knowledge;
}

std::string name_for(Finding finding, const GroupKnowledge& knowledge) {
    explain(finding, knowledge);
    return finding.group_fact ? std::string(name_of(finding.group_fact->kind)) : "";
}

}  // namespace

TEST_CASE("a page of another run of the group is reported with host, file and page") {
    GroupKnowledge knowledge;
    knowledge.run_id = kHandedRun;
    sim::GroupMemberResult member;
    member.rank = 3;
    member.host = "node-d";
    member.run_id = kStrangeRun;
    member.files = {"/mnt/d/sqliosim.mdx"};
    knowledge.members.push_back(member);
    Finding finding = page_finding(FindingKind::foreign_page, 4, sim::make_lsn(1, 1, 1), kStrangeRun);
    explain(finding, knowledge);
    REQUIRE(finding.group_fact);
    CHECK(finding.group_fact->kind == GroupFactKind::other_host);
    CHECK(finding.group_fact->rank == 3);
    CHECK(finding.group_fact->path == "/mnt/d/sqliosim.mdx");
    CHECK(finding.group_fact->page_id == 17);
    CHECK_THAT(finding.group_fact->text, ContainsSubstring("node-d") && ContainsSubstring("page 17 of /mnt/d/sqliosim.mdx"));
    CHECK(name_for(page_finding(FindingKind::foreign_page, 4, 1, 0x1234), knowledge) == "");
}

TEST_CASE("before a new owner writes, an old page is missing, or stale if a later read is right, and wrong bytes are just wrong bytes") {
    const GroupKnowledge knowledge = owner_after_node_a(false);
    Finding finding = page_finding(FindingKind::lost_write, 3, sim::make_lsn(1, 1, 0));
    CHECK(name_for(finding, knowledge) == "missing_after_hand_over");
    finding.transient = true;
    finding.kind = FindingKind::stale_read;
    CHECK(name_for(finding, knowledge) == "stale_on_new_owner");
    finding.transient = false;
    finding.kind = FindingKind::torn_page;
    CHECK(name_for(finding, knowledge) == "torn_by_hand_over");
    finding.kind = FindingKind::log_gap;
    CHECK(name_for(finding, knowledge) == "missing_after_hand_over");
    Finding late = finding;  // it may be the last block of the log, which need not have been promised
    late.transient = true;
    explain(late, knowledge);
    REQUIRE(late.group_fact);
    CHECK(late.group_fact->kind == GroupFactKind::stale_on_new_owner);
    CHECK_THAT(late.group_fact->text, !ContainsSubstring("promised"));
    for (const FindingKind kind : {FindingKind::bit_corruption, FindingKind::io_error, FindingKind::misdirected_read}) {
        for (const bool transient : {false, true}) {
            finding.kind = kind;
            finding.transient = transient;
            CHECK(name_for(finding, knowledge) == "");
        }
    }
}

TEST_CASE("a change beyond the end of a log that was closed in order is a zombie's, beyond a cut log the log may have lost it") {
    GroupKnowledge knowledge = owner_after_node_a(false);
    const Finding finding = page_finding(FindingKind::wal_violation, 12, sim::make_lsn(2, 200, 0));
    CHECK(name_for(finding, knowledge) == "missing_after_hand_over");
    knowledge.owners.back().ended_in_order = true;
    CHECK(name_for(finding, knowledge) == "zombie_owner");
}

TEST_CASE("a log block that only a later read returned is a zombie's if it was made after its owner's end, else the read was stale") {
    GroupKnowledge knowledge = owner_after_node_a(false);
    knowledge.owners.back().ended_utc_us = kImageMade;
    CHECK(name_for(finding_of_late_block(kImageMade - 5'000'000), knowledge) == "stale_on_new_owner");
    CHECK(name_for(finding_of_late_block(kImageMade + 2'000'000), knowledge) == "zombie_owner");
}

TEST_CASE("an LSN between the end of an owner's log and the beginning of the next owner's is a zombie's") {
    const GroupKnowledge knowledge = owner_after_node_a(true, 9);
    for (const FindingKind kind : {FindingKind::future_version, FindingKind::lost_write, FindingKind::reverted_page}) {
        CHECK(name_for(page_finding(kind, 12, sim::make_lsn(2, 101, 0)), knowledge) == "zombie_owner");
    }
    CHECK(name_for(page_finding(FindingKind::future_version, 12, sim::make_lsn(900, 0, 0)), knowledge) == "zombie_owner");
    // A third owner finds it while it takes over from the second one.
    GroupKnowledge third = owner_after_node_a(true, 9);
    sim::KnownOwner second;
    second.rank = 1;
    second.host = "node-b";
    second.incarnation = 2;
    second.first_vlf = kNewOwnersVlf;
    second.last_lsn = sim::make_lsn(kNewOwnersVlf + 4, 0, 0);
    third.owners.push_back(second);
    third.taken_over.reset();
    Finding finding = page_finding(FindingKind::lost_write, 5, sim::make_lsn(2, 101, 0));
    explain(finding, third);
    REQUIRE(finding.group_fact);
    CHECK(finding.group_fact->kind == GroupFactKind::zombie_owner);
    CHECK(finding.group_fact->host == "node-a");
    CHECK_THAT(finding.description + finding.reasoning.back(), ContainsSubstring("zombie owner"));
}

TEST_CASE("an earlier owner's image is late if it is older than what was taken over, or if a newer one had been read") {
    const Finding finding = page_finding(FindingKind::lost_write, 3, sim::make_lsn(1, 9, 0));
    CHECK(name_for(finding, owner_after_node_a(true, 4)) == "late_write");
    // It may be what was there before this owner's own write, which was lost.
    CHECK(name_for(finding, owner_after_node_a(true, 3)) == "");
    CHECK(name_for(page_finding(FindingKind::reverted_page, 3, sim::make_lsn(1, 9, 0)), owner_after_node_a(true, 3)) == "late_write");
    // Redo made the image a second time.
    CHECK(name_for(page_finding(FindingKind::future_version, 3, sim::make_lsn(1, 9, 0)), owner_after_node_a(true, 3)) == "late_write");
    Finding once = finding;
    once.transient = true;
    once.kind = FindingKind::stale_read;
    CHECK(name_for(once, owner_after_node_a(true, 4)) == "stale_on_new_owner");
    // Nothing is said about an image of this owner's own time.
    CHECK(name_for(page_finding(FindingKind::lost_write, 3, sim::make_lsn(kNewOwnersVlf, 1, 0)), owner_after_node_a(true, 4)) == "");
}

TEST_CASE("every fact has its own name and title") {
    std::set<std::string_view> names;
    for (const GroupFactKind kind : {GroupFactKind::other_host, GroupFactKind::missing_after_hand_over, GroupFactKind::stale_on_new_owner,
                                     GroupFactKind::late_write, GroupFactKind::zombie_owner, GroupFactKind::torn_by_hand_over}) {
        names.insert(name_of(kind));
        names.insert(title_of(kind));
    }
    CHECK(names.size() == 12);
}
