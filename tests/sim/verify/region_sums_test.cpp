// The checkpoint's sums compared with the actual pages.
#include "sim/verify/region_sums.hpp"

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "sim/log/page_sums.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/seed.hpp"
#include "ums/base/prng.hpp"

namespace {

using sim::RegionSum;
using sim::RegionSums;

constexpr std::uint32_t kRegion = sim::kRegionPagesMin;

void record(RegionSums& sums, const std::vector<std::uint32_t>& versions, std::uint16_t log_format = sim::kLogFormat) {
    std::vector<RegionSum> regions((versions.size() + kRegion - 1) / kRegion);
    for (std::uint32_t page = 0; page < versions.size(); ++page) {
        RegionSum& sum = regions[page / kRegion];
        sum.versions += versions[page];
        sum.weighted += sim::weight_in_region(log_format, kRegion, page) * versions[page];
    }
    sim::LogRecordHeader header{};
    header.version = kRegion;
    header.page_count = static_cast<std::uint32_t>(versions.size());
    REQUIRE(sums.record(header, std::as_bytes(std::span(regions))));
}

RegionSums::Comparison compare(const std::vector<std::uint32_t>& then, const std::vector<std::uint32_t>& now,
                               std::uint16_t log_format = sim::kLogFormat) {
    RegionSums sums(log_format);
    record(sums, then, log_format);
    for (std::uint32_t page = 0; page < now.size(); ++page) sums.add(page, now[page]);
    return sums.compare();
}

}  // namespace

TEST_CASE("unchanged pages compare equal") {
    const std::vector<std::uint32_t> versions(200, 3);
    const auto comparison = compare(versions, versions);
    CHECK(comparison.compared == 4);
    CHECK(comparison.skipped == 0);
    CHECK(comparison.mismatches.empty());
}

TEST_CASE("the only page of a region that is too old is identified, with the number of missing versions") {
    const std::uint16_t log_format = GENERATE(std::uint16_t{2}, std::uint16_t{3}, std::uint16_t{4});
    std::vector<std::uint32_t> then(200, 9);
    std::vector<std::uint32_t> now = then;
    now[130] = 4;
    const auto comparison = compare(then, now, log_format);
    REQUIRE(comparison.mismatches.size() == 1);
    CHECK(comparison.mismatches[0].page == 130u);
    CHECK(comparison.mismatches[0].missing_versions == 5);
    CHECK(comparison.mismatches[0].first_page == 128);
    CHECK(comparison.mismatches[0].page_count == 64);
    CHECK_FALSE(comparison.mismatches[0].is_too_new());
}

TEST_CASE("a region that differs at the end of a file has no more pages than the file has there") {
    const std::vector<std::uint32_t> then(150, 9);
    std::vector<std::uint32_t> now = then;
    now[149] = 7;
    const auto comparison = compare(then, now);
    REQUIRE(comparison.mismatches.size() == 1);
    CHECK(comparison.mismatches[0].first_page == 128);
    CHECK(comparison.mismatches[0].page_count == 22);
    CHECK(comparison.mismatches[0].page == 149u);
}

TEST_CASE("several pages that are too old are not taken for one, whatever they lack") {
    std::vector<std::uint32_t> then(64, 9);
    std::vector<std::uint32_t> now = then;
    now[5] = now[13] = 8;
    // The weights of versions until 3 are places, of which those of two pages can add up to that of a third.
    CHECK(compare(then, now, sim::kLogFormatOfPlaces).mismatches.at(0).page == 9u);
    CHECK_FALSE(compare(then, now).mismatches.at(0).page);

    ums::Prng prng(ums::testing::test_seed("several pages that are too old are not taken for one"));
    for (int round = 0; round < 500; ++round) {
        now = then;
        const std::uint64_t first = prng.below(60);
        for (std::uint64_t i = first, last = prng.between(first + 1, 63); i <= last; ++i)
            now[i] -= static_cast<std::uint32_t>(prng.between(1, 3));
        const auto mismatches = compare(then, now).mismatches;
        REQUIRE(mismatches.size() == 1);
        CHECK_FALSE(mismatches[0].page);
    }
}

TEST_CASE("the only two pages of a region that are too old are identified, and what each of them lacks") {
    ums::Prng prng(ums::testing::test_seed("the only two pages of a region that are too old are identified"));
    const std::vector<std::uint32_t> then(200, 1000);
    for (int round = 0; round < 500; ++round) {
        const auto first = static_cast<std::uint32_t>(prng.between(64, 126));
        const auto second = static_cast<std::uint32_t>(prng.between(first + 1, 127));
        const auto of_first = static_cast<std::uint32_t>(prng.between(1, 1000));
        const auto of_second = static_cast<std::uint32_t>(prng.between(1, 1000));
        std::vector<std::uint32_t> now = then;
        now[first] -= of_first;
        now[second] -= of_second;
        RegionSums sums;
        record(sums, then);
        for (std::uint32_t page = 0; page < now.size(); ++page) sums.add(page, now[page]);
        const RegionSums::Mismatch mismatch = sums.compare().mismatches.at(0);
        CHECK_FALSE(mismatch.page);
        const auto pair = sums.pair_that_lacks(mismatch, [](const RegionSums::Lacking&) { return true; });
        REQUIRE(pair);
        CHECK(pair->at(0).page == first);
        CHECK(pair->at(0).versions == of_first);
        CHECK(pair->at(1).page == second);
        CHECK(pair->at(1).versions == of_second);
        CHECK_FALSE(sums.pair_that_lacks(mismatch, [&](const RegionSums::Lacking& lacking) { return lacking.page != second; }));
    }
}

TEST_CASE("more than two pages that are too old are not taken for two, and no two are looked for where several pairs may fit") {
    ums::Prng prng(ums::testing::test_seed("more than two pages that are too old are not taken for two"));
    const auto pair_of = [](const std::vector<std::uint32_t>& then, const std::vector<std::uint32_t>& now, std::uint16_t log_format) {
        RegionSums sums(log_format);
        record(sums, then, log_format);
        for (std::uint32_t page = 0; page < now.size(); ++page) sums.add(page, now[page]);
        return sums.pair_that_lacks(sums.compare().mismatches.at(0), [](const RegionSums::Lacking&) { return true; });
    };
    const std::vector<std::uint32_t> then(64, 9);
    for (int round = 0; round < 100; ++round) {
        std::vector<std::uint32_t> now = then;
        const std::uint64_t first = prng.below(60);
        for (std::uint64_t i = first, last = prng.between(first + 2, 63); i <= last; ++i)
            now[i] -= static_cast<std::uint32_t>(prng.between(1, 3));
        CHECK_FALSE(pair_of(then, now, sim::kLogFormat));
    }
    std::vector<std::uint32_t> now = then;
    now[5] = now[14] = 7;
    CHECK(pair_of(then, now, sim::kLogFormat));
    CHECK_FALSE(pair_of(then, now, sim::kLogFormatOfPlaces));
    const std::vector<std::uint32_t> much(64, 100'000'000);
    std::vector<std::uint32_t> lost = much;
    lost[5] = lost[14] = 1;
    CHECK_FALSE(pair_of(much, lost, sim::kLogFormat));
}

TEST_CASE("the weights of pages are those of the document") {
    CHECK(sim::weight_in_region(3, 64, 64) == 1);
    CHECK(sim::weight_in_region(3, 64, 130) == 3);
    CHECK(sim::weight_in_region(4, 64, 64) == 0x910a2dec89025cc1);
    CHECK(sim::weight_in_region(4, 64, 64) == sim::weight_in_region(4, 128, 0));
    CHECK(sim::weight_in_region(4, 64, 130) == ums::mix64(3));
}

TEST_CASE("a sum below the number of pages of its region shows that some had not been written") {
    std::vector<std::uint32_t> versions(150, 1);
    versions[0] = 2;  // it had been the signature of the file
    versions[70] = 0;
    RegionSums sums;
    CHECK_FALSE(sums.has_unwritten(70));  // nothing is recorded
    record(sums, versions);
    CHECK_FALSE(sums.has_unwritten(63));
    CHECK(sums.has_unwritten(64));
    CHECK(sums.has_unwritten(127));
    CHECK_FALSE(sums.has_unwritten(149));  // the last region has 22 pages
    CHECK_FALSE(sums.has_unwritten(150));
}

TEST_CASE("the second version of the first page, which began as the signature, does not hide the only page that had not been written") {
    std::vector<std::uint32_t> versions(2 * kRegion, 1);
    versions[0] = 2;
    versions[kRegion - 1] = 0;
    RegionSums sums;
    record(sums, versions);
    CHECK(sums.has_unwritten(kRegion - 1));
    CHECK_FALSE(sums.has_unwritten(kRegion));
}

TEST_CASE("any number of pages that are too old is detected") {
    ums::Prng prng(ums::testing::test_seed("any number of pages that are too old"));
    for (int round = 0; round < 200; ++round) {
        std::vector<std::uint32_t> then(64 + prng.below(200));
        for (std::uint32_t& version : then) version = static_cast<std::uint32_t>(prng.between(1, 1000));
        std::vector<std::uint32_t> now = then;
        for (std::uint64_t count = prng.between(1, 6); count > 0; --count) {
            std::uint32_t& version = now[prng.below(now.size())];
            if (version > 0) version -= static_cast<std::uint32_t>(prng.between(1, version));
        }
        CHECK_FALSE(compare(then, now).mismatches.empty());
    }
}

TEST_CASE("pages that are too new are distinguished from pages that are too old") {
    std::vector<std::uint32_t> then(64, 9);
    std::vector<std::uint32_t> now = then;
    now[1] = 10;
    const auto comparison = compare(then, now);
    REQUIRE(comparison.mismatches.size() == 1);
    CHECK(comparison.mismatches[0].is_too_new());
    CHECK_FALSE(comparison.mismatches[0].page);
}

TEST_CASE("the pages of a region that differs can be added again, and only what they add up to then counts") {
    const std::vector<std::uint32_t> then(64, 9);
    RegionSums sums;
    record(sums, then);
    for (std::uint32_t page = 0; page < 64; ++page) sums.add(page, page == 5 ? 8 : 9);
    const RegionSums::Mismatch mismatch = sums.compare().mismatches.at(0);
    sums.begin_again(mismatch);
    for (std::uint32_t page = 0; page < 64; ++page) sums.add(page, page == 7 ? 6 : 9);
    CHECK_FALSE(sums.is_skipped(mismatch));
    const std::optional<RegionSums::Mismatch> again = sums.compare_again(mismatch);
    REQUIRE(again);
    CHECK(again->page == 7u);
    CHECK(again->missing_versions == 3);
    sums.begin_again(mismatch);
    for (std::uint32_t page = 0; page < 64; ++page) sums.add(page, 9);
    CHECK_FALSE(sums.compare_again(mismatch));
    sums.skip(3);
    CHECK(sums.is_skipped(mismatch));
}

TEST_CASE("a region with a page whose version is unknown is not compared") {
    RegionSums sums;
    record(sums, std::vector<std::uint32_t>(200, 9));
    sums.skip(70);
    sums.skip_from(130);
    for (std::uint32_t page = 0; page < 200; ++page) sums.add(page, page < 64 ? 9 : 1);
    const auto comparison = sums.compare();
    CHECK(comparison.compared == 1);
    CHECK(comparison.skipped == 3);
    CHECK(comparison.mismatches.empty());
}

TEST_CASE("records that do not fit are rejected") {
    RegionSums sums;
    const std::vector<RegionSum> two(2);
    sim::LogRecordHeader header{};
    header.version = kRegion;
    header.page_count = 128;
    const auto body = std::as_bytes(std::span(two));
    for (const std::uint32_t region_pages : {0U, 1U, 63U, 96U, sim::kRegionPagesMax * 2}) {
        sim::LogRecordHeader wrong = header;
        wrong.version = region_pages;
        CHECK_FALSE(sums.record(wrong, body));
    }
    sim::LogRecordHeader behind = header;
    behind.page_id = 64;
    CHECK_FALSE(sums.record(behind, body));  // two regions from the second on: there are only two
    sums.add(0, 1);                          // nothing of it was taken
    CHECK_FALSE(sums.covers(0));
    CHECK_FALSE(sums.record(header, body.subspan(1)));
    CHECK(sums.record(header, body));
    sim::LogRecordHeader other = header;
    other.page_count = 127;
    CHECK_FALSE(sums.record(other, body));
    sums.add(4'000'000'000, 1);  // a page that the sums do not cover
    CHECK_FALSE(sums.covers(128));
}

TEST_CASE("a record about a file of 32 TB takes memory for the regions that it sums, not for those that the file would have") {
    sim::LogRecordHeader header{};
    header.version = kRegion;
    header.page_count = ~std::uint32_t{0};
    header.page_id = header.page_count / kRegion * kRegion;
    const RegionSum sum{7, 7 * sim::weight_in_region(sim::kLogFormat, kRegion, 0)};
    std::array<RegionSums, 16> files;  // for all of their regions: 64 GB
    for (RegionSums& sums : files) {
        REQUIRE(sums.record(header, std::as_bytes(std::span(&sum, 1))));
        sums.add(0, 7);
        sums.add(header.page_id, 7);
        const auto comparison = sums.compare();
        CHECK(comparison.compared == 1);
        CHECK(comparison.skipped == header.page_count / kRegion);
        CHECK(comparison.mismatches.empty());
    }
}
