#include "ums/base/printable.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/seed.hpp"
#include "ums/base/prng.hpp"
#include "ums/base/utf8.hpp"

using ums::printable;
using ums::printable_lines;

TEST_CASE("control characters are shown as numbers") {
    CHECK(printable("a\n\x1b[31mb\x7f") == "a\\u000a\\u001b[31mb\\u007f");
    CHECK(printable(std::string_view("\0\r\b", 3)) == "\\u0000\\u000d\\u0008");
    CHECK(printable("\xc2\x9b"
                    "31m \xc2\x9d") == "\\u009b31m \\u009d");  // C1: CSI and OSC
    CHECK(printable("grün, 東京, 🙂") == "grün, 東京, 🙂");
}

TEST_CASE("characters that reverse the direction of writing or break a line invisibly are shown as numbers") {
    CHECK(printable("a\xe2\x80\xae"
                    "fdp.mdx\xe2\x80\xac") == "a\\u202efdp.mdx\\u202c");
    CHECK(printable("\xe2\x81\xa6\xe2\x81\xa9\xd8\x9c\xe2\x80\x8f\xe2\x80\xa8") == "\\u2066\\u2069\\u061c\\u200f\\u2028");
}

TEST_CASE("bytes that are not UTF-8 are shown one by one") {
    CHECK(printable("gr\xfcn \x9b") == "gr\\xfcn \\x9b");
    CHECK(printable("\xe2\x82") == "\\xe2\\x82");
    CHECK(printable("\xc0\x9b") == "\\xc0\\x9b");
}

TEST_CASE("whole lines keep their line feeds and tabs, but no other control characters") {
    CHECK(printable_lines("a\tb\r\n\x1b[2Jc\n") == "a\tb\\u000d\n\\u001b[2Jc\n");
}

TEST_CASE("whatever the bytes, the result is UTF-8 without hidden characters, and a second pass changes nothing") {
    ums::Prng prng(ums::testing::test_seed("printable"));
    for (int i = 0; i < 2000; ++i) {
        std::string bytes;
        for (std::uint64_t k = prng.below(40); k > 0; --k) {
            if (prng.chance(5000)) {
                bytes += static_cast<char>(prng.below(256));
            } else {
                ums::append_utf8(bytes, static_cast<std::uint32_t>(prng.below(0xd800)));
            }
        }
        const std::string shown = printable(bytes);
        REQUIRE(ums::is_utf8(shown));
        REQUIRE(printable(shown) == shown);
        for (const char c : shown) REQUIRE((static_cast<unsigned char>(c) >= 0x20 && c != 0x7f));
    }
}
