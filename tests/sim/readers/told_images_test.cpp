// What was reported about persistently wrong pages is not reported again.
#include "sim/readers/told_images.hpp"

#include "tests/sim/support/page_buffer.hpp"
#include "tests/support/catch.hpp"

using sim::testing::PageBuffer;

TEST_CASE("an image of a page counts as reported once, until the page was right or another image comes") {
    const PageBuffer old_image({7, 1, 33, 4, 100, 1});
    const PageBuffer older_image({7, 1, 33, 3, 90, 1});
    sim::ToldImages told;
    CHECK_FALSE(told.has(1, 33, old_image.data()));
    told.add(1, 33, old_image.data());
    CHECK(told.has(1, 33, old_image.data()));
    CHECK_FALSE(told.has(1, 33, older_image.data()));
    CHECK_FALSE(told.has(1, 34, old_image.data()));
    CHECK_FALSE(told.has(2, 33, old_image.data()));
    told.forget(1, 34);
    CHECK(told.has(1, 33, old_image.data()));
    told.forget(1, 33);
    CHECK_FALSE(told.has(1, 33, old_image.data()));
}

TEST_CASE("one wrong bit makes a different image") {
    const PageBuffer image({7, 1, 33, 4, 100, 1});
    PageBuffer damaged = image;
    damaged[5000] ^= std::byte{1};
    sim::ToldImages told;
    told.add(1, 33, image.data());
    CHECK_FALSE(told.has(1, 33, damaged.data()));
}

TEST_CASE("a size that is too small is reported once for each file and size") {
    sim::ToldImages told;
    told.add_size(1, 128);
    CHECK(told.has_size(1, 128));
    CHECK_FALSE(told.has_size(1, 127));
    CHECK_FALSE(told.has_size(2, 128));
}
