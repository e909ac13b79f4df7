// What the log proves about a page.
#include "sim/verify/page_bounds.hpp"

#include "tests/support/catch.hpp"

using sim::PageBounds;

namespace {

constexpr std::uint64_t kBegin = 100;

}  // namespace

TEST_CASE("a change before the checkpoint's begin is both the least and the newest version") {
    PageBounds bounds(kBegin, 8, true);
    bounds.changed(10, 3, 4);
    bounds.changed(20, 3, 5);
    CHECK(bounds[3].least == 5);
    CHECK(bounds[3].newest == 5);
    CHECK(bounds[3].has_changed == 0);
}

TEST_CASE("the first change after the checkpoint's begin proves the version before it") {
    PageBounds bounds(kBegin, 8, true);
    bounds.changed(kBegin + 1, 3, 7);
    bounds.changed(kBegin + 2, 3, 8);
    CHECK(bounds[3].least == 6);
    CHECK(bounds[3].newest == 8);
    CHECK(bounds[3].has_changed == 1);
    CHECK(bounds[4].least == 0);
    CHECK(bounds[4].newest == 0);
}

TEST_CASE("the signature page of a created file is promised") {
    CHECK(PageBounds(0, 8, true)[0].least == 1);
    CHECK(PageBounds(0, 8, false)[0].least == 0);
    PageBounds bounds(kBegin, 8, true);
    bounds.changed(kBegin + 1, 0, 2);
    CHECK(bounds[0].least == 1);
}

TEST_CASE("pages beyond a cut start anew: as zeros if it came before the begin, otherwise nothing is promised") {
    PageBounds before(kBegin, 8, true);
    before.changed(10, 6, 4);
    before.changed(10, 2, 4);
    before.resized(20, 5);
    CHECK(before[6].least == 0);
    CHECK(before[6].newest == 0);
    CHECK(before[6].is_released == 0);
    CHECK(before[2].least == 4);
    CHECK(before.promised_pages() == 5);
    CHECK_FALSE(before.is_resized());

    PageBounds behind(kBegin, 8, true);
    behind.changed(10, 6, 4);
    behind.resized(kBegin + 5, 5);
    CHECK(behind[6].is_released == 1);
    CHECK(behind[6].is_any_legal == 1);
    CHECK(behind[6].least == 0);
    CHECK(behind[4].is_released == 0);
    CHECK(behind.cut_from() == 5);
    CHECK(behind.is_resized());
    behind.changed(kBegin + 6, 6, 1);  // grown again, and written
    CHECK(behind[6].least == 0);
}

TEST_CASE("the checkpoint's page count does not override a later change") {
    PageBounds bounds(kBegin, 8, true);
    bounds.had_pages(8);
    CHECK(bounds.promised_pages() == 8);
    bounds.resized(kBegin + 1, 6);
    bounds.had_pages(8);
    CHECK(bounds.promised_pages() == 6);
}

TEST_CASE("the log says how few pages the file once had, whatever its last size is") {
    PageBounds bounds(kBegin, 8, true);
    CHECK(bounds.least_pages() == 0);
    bounds.had_pages(7);
    CHECK(bounds.least_pages() == 7);
    bounds.resized(kBegin + 1, 5);
    bounds.resized(kBegin + 2, 8);
    CHECK(bounds.promised_pages() == 8);
    CHECK(bounds.least_pages() == 5);
    bounds.had_at_some_time(3);
    bounds.had_at_some_time(4);
    CHECK(bounds.least_pages() == 3);
}

TEST_CASE("nothing is promised of a released page, whatever changes it") {
    PageBounds bounds(kBegin, 8, true);
    bounds.changed(10, 3, 4);
    bounds.release(3);
    bounds.changed(kBegin + 1, 3, 9);
    CHECK(bounds[3].least == 0);
    CHECK(bounds[3].is_released == 1);
    bounds.release_all();
    CHECK(bounds[7].is_released == 1);
}

TEST_CASE("records about pages that the file does not have are ignored") {
    PageBounds bounds(kBegin, 8, true);
    bounds.changed(10, 4'000'000'000, 1);
    bounds.release(8);
    bounds.changed(10, 2, 0);
    bounds.changed(10, 2, 0xffff'ffff);
    CHECK(bounds[2].newest == 0);
    CHECK(PageBounds(0, 0, true).promised_pages() == 0);
}

TEST_CASE("if a checkpoint promises nothing, no page must have the version of its last change in the log") {
    PageBounds bounds(kBegin, 8, true);
    bounds.changed(10, 3, 4);
    bounds.changed(kBegin + 1, 5, 9);
    bounds.release_all();
    for (const std::uint32_t page : {0U, 3U, 5U}) {
        CHECK(bounds[page].least == 0);
        CHECK(bounds[page].is_released == 1);
    }
    CHECK(bounds[3].newest == 4);
}
