#include "ums/base/text_wrap.hpp"

#include "tests/support/catch.hpp"

using ums::wrap;

TEST_CASE("text is wrapped at blanks, and a word that is too long gets a line of its own") {
    CHECK(wrap("aa bb cc", 5, "", 0) == "aa bb\ncc\n");
    CHECK(wrap("aa bb cc", 6, "- ", 2) == "- aa\n  bb\n  cc\n");
    CHECK(wrap("aaaaaaaaaa b", 5, "", 1) == "aaaaaaaaaa\n b\n");
    CHECK(wrap("a aaaaaaaaaa b", 5, "x ", 1) == "x a\n aaaaaaaaaa\n b\n");
    CHECK(wrap("", 5, "", 0) == "\n");
}

TEST_CASE("several blanks in a row stay, as a file may be named with them, except where a line begins or ends") {
    CHECK(wrap("in /mnt/a  b.mdx: x", 40, "", 0) == "in /mnt/a  b.mdx: x\n");
    CHECK(wrap("aa  bb", 6, "", 0) == "aa  bb\n");
    CHECK(wrap("aa  bb", 5, "", 1) == "aa\n bb\n");
    CHECK(wrap("  aa  ", 5, "- ", 2) == "- aa\n");
}

TEST_CASE("a multi-byte character takes one column") {
    CHECK(ums::display_width("\u00fcber \u2026") == 6);
    CHECK(wrap("\u00fc\u00fc \u00fc\u00fc", 5, "", 0) == "\u00fc\u00fc \u00fc\u00fc\n");
}
