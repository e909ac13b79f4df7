// The checker on which other tests rely must itself detect errors.
#include "tests/support/xml_checker.hpp"

#include "tests/support/catch.hpp"

using test::xml_error;

TEST_CASE("the checker accepts well-formed documents") {
    for (const char* document : {"<a/>", "<?xml version='1.0'?>\n<?p q?><!-- c --><a b='1' c=\"&lt;&#xFC;\">x<b></b >&amp;</a ><?end?>\n",
                                 "<a>ü</a>", "<a></a><?end <b></a><?end ?>"}) {
        INFO(document);
        CHECK(xml_error(document) == "");
    }
}

TEST_CASE("the checker refuses what a parser refuses") {
    for (const std::string& document : {std::string(),
                                        std::string("<a>"),
                                        std::string("<a></b>"),
                                        std::string("<a></a><a></a>"),
                                        std::string("<a></a>x"),
                                        std::string("<a b='1' b='2'/>"),
                                        std::string("<a b='<'/>"),
                                        std::string("<a b=1/>"),
                                        std::string("<a>&nbsp;</a>"),
                                        std::string("<a>&#0;</a>"),
                                        std::string("<a>&#xD800;</a>"),
                                        std::string("<a>\x01</a>"),
                                        std::string("<a>\xff</a>"),
                                        std::string("<a>\xc3</a>"),
                                        std::string("<a>]]></a>"),
                                        std::string("<a><!-- -- --></a>"),
                                        std::string("<a></a><?end "),
                                        std::string("<a></a><?xml?>"),
                                        std::string(" <?xml version='1.0'?><a/>"),
                                        std::string("<a>\0</a>", 8),
                                        std::string("<a b='1'c='2'/>")}) {
        INFO(document);
        CHECK(xml_error(document) != "");
    }
}
