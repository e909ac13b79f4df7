// What several hosts make of a finding.
#include "sim/group/group_explanation.hpp"

#include <cstring>
#include <set>

#include "sim/page/log_layout.hpp"
#include "sim/page/page_codec.hpp"
#include "sim/promises/promises.hpp"
#include "tests/sim/support/page_buffer.hpp"
#include "tests/support/catch.hpp"

using sim::Finding;
using sim::FindingKind;
using sim::GroupFactKind;
using sim::GroupKnowledge;

namespace {

constexpr std::uint64_t kRun = 0x1111'2222'3333'4444;
constexpr std::uint64_t kOtherRun = 0x9999'8888'7777'6666;
constexpr std::uint64_t kMade = 1'764'000'000'000'000;

// The finding of a page of which a sound image came back.
Finding finding_of(FindingKind kind, std::uint32_t version, std::uint64_t lsn, std::uint64_t run_id = kRun) {
    sim::testing::PageBuffer page;
    sim::make_page({run_id, 1, 17, version, lsn, kMade}, page.data());
    const sim::PageHeader header = sim::read_header(page.data());
    Finding finding;
    finding.kind = kind;
    finding.place.file_id = 1;
    finding.place.page_id = 17;
    finding.expected = sim::ExpectedIdentity{.version = 9, .lsn = sim::make_lsn(65536, 3, 0)};
    finding.received = sim::ReceivedIdentity{.version = version,
                                             .lsn = lsn,
                                             .checksum = header.checksum,
                                             .calculated_checksum = header.checksum,
                                             .run_id = run_id,
                                             .file_id = 1,
                                             .page_id = 17};
    finding.evidence.image.assign(page.data(), page.data() + sim::kPageBytes);
    return finding;
}

GroupKnowledge new_owner(bool has_taken_over) {
    GroupKnowledge knowledge;
    knowledge.role = GroupKnowledge::Role::owner;
    knowledge.run_id = kRun;
    knowledge.has_taken_over = has_taken_over;
    knowledge.owners.push_back({1, 0, "node-a", 0, sim::make_lsn(2, 100, 5), false});
    if (has_taken_over) knowledge.owners.push_back({2, 1, "node-b", sim::make_lsn(65536, 0, 0), ~std::uint64_t{0}, false});
    return knowledge;
}

std::string explained(Finding finding, const GroupKnowledge& knowledge) {
    explain(finding, knowledge);
    return finding.group_fact ? std::string(name_of(finding.group_fact->kind)) : "";
}

sim::Promises promised(std::uint32_t version) {
    sim::PromiseSection section;
    section.run_id = kRun;
    section.section_id = 1;
    section.incarnation = 1;
    section.files = {{1, false, 100, "/x/a.mdx"}};
    sim::PromiseBatch batch;
    batch.run_id = kRun;
    batch.section_id = 1;
    batch.number = 1;
    batch.pages = {{1, 17, version, 0}};
    sim::Promises promises;
    promises.begin(section);
    REQUIRE(promises.add(batch));
    return promises;
}

}  // namespace

TEST_CASE("a page of another run of the group is told with its host, its file and its place") {
    GroupKnowledge knowledge;
    knowledge.run_id = kRun;
    knowledge.members.push_back({3, "node-d", kOtherRun, {{1, "/mnt/d/sqliosim.mdx"}}});
    Finding finding = finding_of(FindingKind::foreign_page, 4, sim::make_lsn(1, 1, 1), kOtherRun);
    explain(finding, knowledge);
    REQUIRE(finding.group_fact);
    CHECK(finding.group_fact->kind == GroupFactKind::other_host);
    CHECK(finding.group_fact->rank == 3);
    CHECK(finding.group_fact->host == "node-d");
    CHECK(finding.group_fact->path == "/mnt/d/sqliosim.mdx");
    CHECK(finding.group_fact->page_id == 17);
    CHECK(finding.group_fact->utc_us == kMade);
    CHECK_THAT(finding.group_fact->text, ContainsSubstring("node-d") && ContainsSubstring("page 17 of /mnt/d/sqliosim.mdx"));
    CHECK(explained(finding_of(FindingKind::foreign_page, 4, 1, 0x1234), knowledge) == "");
    CHECK(explained(finding_of(FindingKind::lost_write, 4, 1), knowledge) == "");
}

TEST_CASE("before a new owner writes, what is too old is missing, and what a later read brings was stale") {
    const GroupKnowledge knowledge = new_owner(false);
    Finding finding = finding_of(FindingKind::lost_write, 3, sim::make_lsn(1, 1, 0));
    CHECK(explained(finding, knowledge) == "missing_after_hand_over");
    finding.transient = true;
    finding.kind = FindingKind::stale_read;
    CHECK(explained(finding, knowledge) == "stale_on_new_owner");
    finding.kind = FindingKind::torn_page;
    finding.transient = false;
    CHECK(explained(finding, knowledge) == "torn_by_hand_over");
    finding.kind = FindingKind::bit_corruption;
    CHECK(explained(finding, knowledge) == "");
    finding.kind = FindingKind::log_gap;
    CHECK(explained(finding, knowledge) == "missing_after_hand_over");
}

TEST_CASE("a change behind the end of a log that was closed in order is a zombie's, behind one that was cut the log may have lost it") {
    GroupKnowledge knowledge = new_owner(false);
    const Finding finding = finding_of(FindingKind::wal_violation, 12, sim::make_lsn(2, 200, 0));
    CHECK(explained(finding, knowledge) == "missing_after_hand_over");
    knowledge.owners.back().ended_in_order = true;
    CHECK(explained(finding, knowledge) == "zombie_owner");
}

TEST_CASE("an LSN in no owner's range is of an owner that went on after its time") {
    const GroupKnowledge knowledge = new_owner(true);
    for (const FindingKind kind : {FindingKind::future_version, FindingKind::lost_write, FindingKind::reverted_page}) {
        Finding finding = finding_of(kind, 12, sim::make_lsn(2, 101, 0));
        explain(finding, knowledge);
        REQUIRE(finding.group_fact);
        CHECK(finding.group_fact->kind == GroupFactKind::zombie_owner);
        CHECK(finding.group_fact->rank == 0);
        CHECK_THAT(finding.group_fact->text, ContainsSubstring("rank 0 on node-a (incarnation 1"));
    }
    CHECK(explained(finding_of(FindingKind::future_version, 12, sim::make_lsn(900, 0, 0)), knowledge) == "zombie_owner");
    // A third owner finds it in the time of the second one.
    GroupKnowledge third = new_owner(true);
    third.has_taken_over = false;
    third.owners.back().last_lsn = sim::make_lsn(65540, 0, 0);
    CHECK(explained(finding_of(FindingKind::lost_write, 5, sim::make_lsn(2, 101, 0)), third) == "zombie_owner");
    // Page 0 has no LSN until it is changed.
    CHECK(explained(finding_of(FindingKind::lost_write, 1, 0), knowledge) == "");
}

TEST_CASE("an image of an earlier owner is late if it is older than what it had been promised, or if a newer one had been read") {
    GroupKnowledge knowledge = new_owner(true);
    const Finding finding = finding_of(FindingKind::lost_write, 3, sim::make_lsn(1, 9, 0));
    // It may be what stood there before this owner's own write, which is lost.
    CHECK(explained(finding, knowledge) == "");
    CHECK(explained(finding_of(FindingKind::reverted_page, 3, sim::make_lsn(1, 9, 0)), knowledge) == "late_write");
    const sim::Promises newer = promised(4);
    knowledge.at_hand_over = &newer;
    CHECK(explained(finding, knowledge) == "late_write");
    const sim::Promises same = promised(3);
    knowledge.at_hand_over = &same;
    CHECK(explained(finding, knowledge) == "");
    // The new owner made the image once more, at another time.
    CHECK(explained(finding_of(FindingKind::future_version, 9, sim::make_lsn(1, 9, 0)), knowledge) == "late_write");
    Finding once = finding;
    once.transient = true;
    once.kind = FindingKind::stale_read;
    CHECK(explained(once, knowledge) == "stale_on_new_owner");
    // Of its own time nothing is said.
    CHECK(explained(finding_of(FindingKind::lost_write, 3, sim::make_lsn(65536, 1, 0)), knowledge) == "");
}

TEST_CASE("a log block says itself that an earlier owner wrote it after its time") {
    const GroupKnowledge knowledge = new_owner(true);
    Finding finding;
    finding.kind = FindingKind::log_stale_block;
    finding.place.is_log = true;
    sim::LogBlockHeader header{};
    header.magic = sim::kLogMagic;
    header.run_id = kRun;
    header.incarnation = 1;
    header.first_lsn = sim::make_lsn(2, 300, 0);
    finding.evidence.image.resize(512);
    const auto put = [&] { std::memcpy(finding.evidence.image.data(), &header, sizeof header); };
    put();
    CHECK(explained(finding, knowledge) == "zombie_owner");
    header.first_lsn = sim::make_lsn(2, 50, 0);  // of its time: an earlier round of the ring
    put();
    CHECK(explained(finding, knowledge) == "");
    header.incarnation = 2;
    header.first_lsn = sim::make_lsn(2, 300, 0);
    put();
    CHECK(explained(finding, knowledge) == "");
}

TEST_CASE("a reader that gets an older page did not see what had been promised") {
    GroupKnowledge knowledge = new_owner(false);
    knowledge.role = GroupKnowledge::Role::reader;
    CHECK(explained(finding_of(FindingKind::stale_read, 3, 1), knowledge) == "stale_on_reader");
    CHECK(explained(finding_of(FindingKind::torn_page, 3, 1), knowledge) == "");
}

TEST_CASE("every fact has a name, a title and a hint of its own") {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < sim::kGroupFactKindCount; ++i) {
        const auto kind = static_cast<GroupFactKind>(i);
        names.insert(name_of(kind));
        names.insert(title_of(kind));
        names.insert(hint_of(kind));
    }
    CHECK(names.size() == 3 * sim::kGroupFactKindCount);
}
