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
