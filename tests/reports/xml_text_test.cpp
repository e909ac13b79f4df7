#include "reports/xml_text.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/xml_checker.hpp"
#include "ums/base/prng.hpp"

using reports::xml_escaped;

TEST_CASE("markup is escaped for text and for both kinds of quotes") { CHECK(xml_escaped("a<b>&'\"c") == "a&lt;b&gt;&amp;&apos;&quot;c"); }

TEST_CASE("white space survives a parser") { CHECK(xml_escaped("a\tb\nc\rd e") == "a&#x9;b&#xA;c&#xD;d e"); }

TEST_CASE("characters outside of ASCII become references") {
    CHECK(xml_escaped("ü €") == "&#xFC; &#x20AC;");
    CHECK(xml_escaped("\xf0\x9f\x92\xbe") == "&#x1F4BE;");
}

TEST_CASE("characters that XML forbids, and invalid UTF-8, are replaced") {
    CHECK(xml_escaped(std::string_view("a\0b\x1f", 4)) == "a&#xFFFD;b&#xFFFD;");
    CHECK(xml_escaped("\xef\xbf\xbf") == "&#xFFFD;");  // U+FFFF
    CHECK(xml_escaped("\xff"
                      "a") == "&#xFFFD;a");
    CHECK(xml_escaped("\xc0\xaf") == "&#xFFFD;&#xFFFD;");                          // overlong
    CHECK(xml_escaped("\xed\xa0\x80") == "&#xFFFD;&#xFFFD;&#xFFFD;");              // surrogate
    CHECK(xml_escaped("\xe2\x82") == "&#xFFFD;&#xFFFD;");                          // cut off
    CHECK(xml_escaped("\xf4\x90\x80\x80") == "&#xFFFD;&#xFFFD;&#xFFFD;&#xFFFD;");  // above U+10FFFF
}

TEST_CASE("any bytes at all give well-formed XML") {
    const std::uint64_t seed = 20251124;
    CAPTURE(seed);
    ums::Prng random(seed);
    for (int round = 0; round < 2000; ++round) {
        std::string bytes(random.below(40), '\0');
        for (char& byte : bytes) byte = static_cast<char>(random.below(256));
        const std::string escaped = xml_escaped(bytes);
        const std::string document = "<a b='" + escaped + "' c=\"" + escaped + "\">" + escaped + "</a>";
        INFO(document);
        REQUIRE(test::xml_error(document).empty());
    }
}
