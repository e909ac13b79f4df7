// What the owner of files may say of a fault that was made for their readers.
#include "sim/rehearsal/reader_fault.hpp"

#include <vector>

#include "sim/limits.hpp"
#include "sim/page/page_codec.hpp"
#include "tests/support/catch.hpp"

using sim::Finding;
using sim::FindingKind;
using sim::is_named_right_by_owner;
using sim::ReaderFault;
using sim::ReaderTrouble;

namespace {

ReaderTrouble standing_trouble(ReaderFault fault) {
    ReaderTrouble trouble;
    trouble.fault = fault;
    trouble.is_on_volume = true;
    trouble.file_id = 1;
    trouble.page_id = 7;
    return trouble;
}

Finding of_owner(FindingKind kind, bool is_transient = false) {
    Finding finding;
    finding.kind = kind;
    finding.transient = is_transient;
    finding.place.file_id = 1;
    finding.place.page_id = 7;
    return finding;
}

}  // namespace

TEST_CASE("an owner may find what stands on the volume while it works, and must name it as any run does") {
    const ReaderTrouble lost = standing_trouble(ReaderFault::lost_write);
    CHECK(is_named_right_by_owner(lost, of_owner(FindingKind::lost_write)));
    CHECK(is_named_right_by_owner(lost, of_owner(FindingKind::stale_read, true)));
    CHECK_FALSE(is_named_right_by_owner(lost, of_owner(FindingKind::stale_read)));
    CHECK_FALSE(is_named_right_by_owner(lost, of_owner(FindingKind::lost_write, true)));
    CHECK_FALSE(is_named_right_by_owner(lost, of_owner(FindingKind::torn_page)));
    Finding elsewhere = of_owner(FindingKind::lost_write);
    elsewhere.place.page_id = 8;
    CHECK_FALSE(is_named_right_by_owner(lost, elsewhere));
    const ReaderTrouble damaged = standing_trouble(ReaderFault::damaged_page);
    CHECK(is_named_right_by_owner(damaged, of_owner(FindingKind::bit_corruption)));
    CHECK_FALSE(is_named_right_by_owner(damaged, of_owner(FindingKind::foreign_page)));
}

TEST_CASE("an owner cannot find what is on the way to a reader, or what begins when it is over") {
    ReaderTrouble trouble = standing_trouble(ReaderFault::damaged_page);
    trouble.is_at_the_end = true;
    CHECK_FALSE(is_named_right_by_owner(trouble, of_owner(FindingKind::bit_corruption)));
    trouble = standing_trouble(ReaderFault::damaged_page);
    trouble.is_on_volume = false;
    CHECK_FALSE(is_named_right_by_owner(trouble, of_owner(FindingKind::bit_corruption)));
    CHECK_FALSE(is_named_right_by_owner(standing_trouble(ReaderFault::stale_cache), of_owner(FindingKind::lost_write)));
}

TEST_CASE("an owner that finds another page's image must say whose it is") {
    ReaderTrouble trouble = standing_trouble(ReaderFault::misdirected_write);
    trouble.image.resize(sim::kPageBytes);
    sim::make_page({1, 1, 9, 3, 1, 1}, trouble.image.data());
    Finding finding = of_owner(FindingKind::misdirected_write);
    CHECK_FALSE(is_named_right_by_owner(trouble, finding));
    finding.other = sim::PagePlace{1, "a.mdx", 9, 3};
    CHECK(is_named_right_by_owner(trouble, finding));
    finding.transient = true;
    CHECK_FALSE(is_named_right_by_owner(trouble, finding));
}
