#include "sim/log/page_sums.hpp"

#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/seed.hpp"
#include "ums/base/prng.hpp"

using sim::PageSums;

namespace {

// The sums according to their definition.
std::vector<sim::RegionSum> sums_of(const std::vector<std::uint32_t>& versions, std::uint32_t region_pages, std::size_t regions) {
    std::vector<sim::RegionSum> sums(regions);
    for (std::uint32_t page = 0; page < versions.size(); ++page) {
        sums[page / region_pages].versions += versions[page];
        sums[page / region_pages].weighted += ums::mix64(page % region_pages + 1) * versions[page];
    }
    return sums;
}

}  // namespace

TEST_CASE("the sums are those of the page versions, whatever happens to the file") {
    const std::uint64_t seed = ums::testing::test_seed("the sums are those of the versions");
    ums::Prng prng(seed);
    constexpr std::uint64_t kPagesMax = 1000;
    const std::vector<sim::SummedFile> files{{1, 500, kPagesMax}, {3, 100, 128}};
    PageSums sums(files, 1 << 20);
    REQUIRE(sums.region_pages() == 64);
    std::vector<std::uint32_t> versions(500, 0);
    versions[0] = 1;
    for (int step = 0; step < 3000; ++step) {
        if (prng.below(50) != 0) {
            const auto page = static_cast<std::uint32_t>(prng.below(versions.size()));
            ++versions[page];
            sums.changed(1, page);
        } else {
            versions.resize(prng.between(1, kPagesMax), 0);
            sums.replace(1, sums.resized(
                                sums.file(1), static_cast<std::uint32_t>(versions.size()),
                                [&](std::uint32_t page) { return versions[page]; }, prng.below(4) == 0));
            // Each time: a later cut, or a recount, may hide a wrong one.
            REQUIRE(sums.file(1).regions == sums_of(versions, 64, sums.file(1).regions.size()));
        }
        sums.changed(2, 7);  // a file without sums
    }
    const PageSums::File file = sums.file(1);
    CHECK(file.page_count == versions.size());
    CHECK(file.regions == sums_of(versions, 64, file.regions.size()));
    CHECK(sums.file(3).regions == std::vector<sim::RegionSum>{{1, sim::weight_in_region(sim::kLogFormat, 64, 0)}, {}});
    CHECK(sums.file(2).regions.empty());
}

TEST_CASE("the sums of large files stay within their limit by using larger regions") {
    const std::vector<sim::SummedFile> files{{1, 1, 1 << 27}, {2, 1, 1 << 20}};
    const PageSums sums(files, 256 << 10);
    CHECK(sums.region_pages() == 16'384);
    CHECK(sums.bytes_max() <= 256 << 10);
    CHECK(sums.file(1).regions.size() == (1 << 27) / 16'384);
}

TEST_CASE("a single page that is too old is identified by what both sums lack") {
    const std::vector<sim::SummedFile> files{{1, 128, 128}};
    PageSums sums(files, 1 << 20);
    for (int i = 0; i < 9; ++i) sums.changed(1, 77);
    sim::RegionSum found{};
    sim::add_to_region(found, 64, 77, 4);  // five changes are missing
    const sim::RegionSum recorded = sums.file(1).regions[1];
    const std::uint64_t missing = recorded.versions - found.versions;
    CHECK(missing == 5);
    CHECK(recorded.weighted - found.weighted == 5 * sim::weight_in_region(sim::kLogFormat, 64, 77));
}
