#include "ums/base/edit_distance.hpp"

#include "tests/support/catch.hpp"

using ums::edit_distance;

TEST_CASE("the distance of two words counts insertions, deletions and replacements") {
    CHECK(edit_distance("", "") == 0);
    CHECK(edit_distance("", "page") == 4);
    CHECK(edit_distance("page", "") == 4);
    CHECK(edit_distance("page", "pages") == 1);
    CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("words that differ only in case are the same") { CHECK(edit_distance("MaxMemoryMB", "maxmemorymb") == 0); }
