#include "ums/base/whole_number.hpp"

#include <cstdint>

#include "tests/support/catch.hpp"

using ums::whole_number;

TEST_CASE("a whole number is all of the text, or there is none") {
    CHECK(whole_number<std::uint32_t>("0") == 0U);
    CHECK(whole_number<std::uint32_t>("0042") == 42U);
    CHECK(whole_number<std::uint32_t>("4294967295") == 4294967295U);
    for (const char* text : {"", " 1", "1 ", "+1", "-1", "1.0", "1K", "0x1", "4294967296"}) CHECK_FALSE(whole_number<std::uint32_t>(text));
}

TEST_CASE("a whole number has the digits of its base") {
    CHECK(whole_number<std::uint64_t>("ffffFFFFffffFFFF", 16) == ~std::uint64_t{0});
    CHECK_FALSE(whole_number<std::uint64_t>("10000000000000000", 16));
    CHECK_FALSE(whole_number<std::uint64_t>("a"));
}
