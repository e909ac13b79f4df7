#include "sim/files/page_ranges.hpp"

#include "tests/support/catch.hpp"

using sim::PageRanges;

TEST_CASE("ranges cover all pages of a file once, and the last one may be shorter") {
    PageRanges ranges;
    std::uint32_t next = 0;
    while (const auto range = ranges.take(64, 200)) {
        CHECK(range->first == next);
        next += range->count;
    }
    CHECK(next == 200);
    ranges.begin_again();
    CHECK(ranges.take(64, 200)->first == 0);
}

TEST_CASE("a file that has all page numbers has no more ranges after the last one, however many tasks ask") {
    constexpr std::uint32_t kPages = 0xffff'ffff;
    constexpr std::uint32_t kStep = std::uint32_t{1} << 30;
    PageRanges ranges;
    for (std::uint32_t i = 0; i < 3; ++i) CHECK(ranges.take(kStep, kPages)->count == kStep);
    CHECK(ranges.take(kStep, kPages)->count == kStep - 1);
    for (int task = 0; task < 10; ++task) CHECK_FALSE(ranges.take(kStep, kPages).has_value());
}
