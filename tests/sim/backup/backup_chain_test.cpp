#include "sim/backup/backup_chain.hpp"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"

using sim::BackupSet;

TEST_CASE("of the backups of a chain only the newest keeps its sums, however many there are") {
    const std::array files{sim::SummedFile{.file_id = 1, .page_count = 640, .pages_max = 640}};
    std::vector<BackupSet> sets;
    for (std::uint32_t number = 1; number <= 3; ++number) {
        BackupSet set{.kind = sim::BackupKind::log, .number = number};
        set.sums = sim::PageSums(files, 1024);
        sim::add_to_chain(sets, std::move(set));
    }
    REQUIRE(sets.size() == 3);
    CHECK(sets[0].sums.files().empty());
    CHECK(sets[1].sums.files().empty());
    CHECK(sets[2].sums.files().size() == 1);
    CHECK(sets[0].number == 1);
    CHECK(sets[2].number == 3);
}

namespace {

template <typename Set>
constexpr bool kKeepsPageRuns = requires(Set set) { set.runs; };

}  // namespace

// A differential backup of scattered changes has a run for each extent: in a chain of days, they would fill the memory.
TEST_CASE("no backup of a chain keeps in memory where its pages are") { STATIC_REQUIRE_FALSE(kKeepsPageRuns<BackupSet>); }
