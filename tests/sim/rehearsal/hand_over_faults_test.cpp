// What the last owner of files may say of a fault between the owners before it.
#include "sim/rehearsal/hand_over_faults.hpp"

#include <string>

#include "sim/results.hpp"
#include "tests/support/catch.hpp"

using sim::Finding;
using sim::FindingKind;
using sim::GroupFactKind;
using sim::HandedFault;
using sim::HandOverFault;
using sim::is_hand_over_named_right;

namespace {

constexpr const char* kHandedPath = "/simulated/a.mdx";

sim::KnownOwner owner_of_rank(std::uint32_t rank) {
    sim::KnownOwner owner;
    owner.rank = rank;
    owner.incarnation = rank + 1;
    owner.host = "host-" + std::to_string(rank);
    return owner;
}

HandedFault handed_page(HandOverFault fault) {
    HandedFault handed;
    handed.file_id = 1;
    handed.fault = fault;
    handed.made_by = owner_of_rank(0);
    handed.trouble.path = kHandedPath;
    handed.trouble.page_id = 7;
    return handed;
}

Finding of_last_owner(FindingKind kind, GroupFactKind fact, std::uint32_t rank, sim::Phase phase) {
    Finding finding;
    finding.kind = kind;
    finding.moment.phase = name_of(phase);
    const sim::KnownOwner owner = owner_of_rank(rank);
    finding.group_fact = sim::GroupFact{};
    finding.group_fact->kind = fact;
    finding.group_fact->rank = owner.rank;
    finding.group_fact->host = owner.host;
    finding.group_fact->incarnation = owner.incarnation;
    finding.group_fact->path = kHandedPath;
    finding.group_fact->page_id = 7;
    return finding;
}

}  // namespace

TEST_CASE("what was wrong before the last owner began must have its class besides the fact among hosts") {
    struct Right {
        HandOverFault fault;
        FindingKind kind;
        GroupFactKind fact;
    };
    for (const Right& right : {Right{HandOverFault::lost_write, FindingKind::lost_write, GroupFactKind::missing_after_hand_over},
                               Right{HandOverFault::torn_write, FindingKind::torn_page, GroupFactKind::torn_by_hand_over},
                               Right{HandOverFault::stale_cache, FindingKind::stale_read, GroupFactKind::stale_on_new_owner}}) {
        const auto is_right_as = [&right](FindingKind kind) {
            const Finding finding = of_last_owner(kind, right.fact, 1, sim::Phase::page_verification);
            return is_hand_over_named_right(handed_page(right.fault), finding, owner_of_rank(1));
        };
        INFO(name_of(right.fault));
        CHECK(is_right_as(right.kind));
        for (const FindingKind kind : {FindingKind::reverted_page, FindingKind::zeroed_page, FindingKind::bit_corruption})
            CHECK_FALSE(is_right_as(kind));
    }
}

TEST_CASE("what lands while the last owner works is older or newer than what it wrote, but must name who made it") {
    for (const FindingKind kind : {FindingKind::lost_write, FindingKind::reverted_page}) {
        Finding finding = of_last_owner(kind, GroupFactKind::late_write, 0, sim::Phase::main_run);
        CHECK(is_hand_over_named_right(handed_page(HandOverFault::late_write), finding, owner_of_rank(1)));
        CHECK_FALSE(is_hand_over_named_right(handed_page(HandOverFault::zombie), finding, owner_of_rank(1)));
        finding.group_fact->rank = 1;
        CHECK_FALSE(is_hand_over_named_right(handed_page(HandOverFault::late_write), finding, owner_of_rank(1)));
        finding.group_fact.reset();
        CHECK_FALSE(is_hand_over_named_right(handed_page(HandOverFault::late_write), finding, owner_of_rank(1)));
    }
}
