#include "reports/table.hpp"

#include "tests/support/catch.hpp"

using reports::Table;

TEST_CASE("columns are as wide as their widest text, and lines have no trailing spaces") {
    Table table({{"name", Table::Align::left}, {"count"}, {"note", Table::Align::left}});
    table.add_row({"a", "1", "x"});
    table.add_row({"longer name", "123456", ""});
    CHECK(table.text(100) ==
          "  name          count  note\n"
          "  a                 1  x\n"
          "  longer name  123456\n");
}

TEST_CASE("only the shrinking column gets narrower, down to a usable minimum") {
    Table table({{"file", Table::Align::left, true}, {"count"}});
    table.add_row({"/a/very/long/path/to/sqliosim.mdx", "123456"});
    CHECK(table.text(30) ==
          "  file                   count\n"
          "  ...h/to/sqliosim.mdx  123456\n");
    CHECK(table.text(10) ==
          "  file              count\n"
          "  ...sqliosim.mdx  123456\n");
}

TEST_CASE("a column that wraps continues below itself, only as far as the table would be too wide, and never within a word") {
    Table table({{"file", Table::Align::left, true},
                 {"what came back", Table::Align::left, false, true},
                 {"blocks", Table::Align::right, false, true}});
    table.add_row({"a.mdx", "version 3 came back, 5 was written", "100 (1-2000)"});
    table.add_row({"b.mdx", "zeros", "7"});
    CHECK(table.text(100) ==
          "  file   what came back                            blocks\n"
          "  a.mdx  version 3 came back, 5 was written  100 (1-2000)\n"
          "  b.mdx  zeros                                          7\n");
    CHECK(table.text(45) ==
          "  file   what came back                blocks\n"
          "  a.mdx  version 3 came back, 5 was       100\n"
          "         written                     (1-2000)\n"
          "  b.mdx  zeros                              7\n");
    CHECK(table.text(1) ==
          "  file   what came back    blocks\n"
          "  a.mdx  version 3 came       100\n"
          "         back, 5 was     (1-2000)\n"
          "         written\n"
          "  b.mdx  zeros                  7\n");
}
