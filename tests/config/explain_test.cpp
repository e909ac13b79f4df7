// The help must be complete, found under every name, and fit the width of a terminal.
#include <sstream>

#include "config/parameter_table.hpp"
#include "config/value_text.hpp"
#include "tests/config/support.hpp"
#include "tests/support/catch.hpp"

using namespace config;
using namespace config_test;

namespace {

std::size_t widest_line(const std::string& text) {
    std::istringstream in(text);
    std::size_t widest = 0;
    for (std::string line; std::getline(in, line);) widest = std::max(widest, line.size());
    return widest;
}

// Ignores line breaks and indentation.
std::string in_one_line(const std::string& text) {
    std::istringstream in(text);
    std::string out;
    for (std::string word; in >> word;) out += word + ' ';
    return out;
}

std::string error_of_topic(const std::string& topic) {
    try {
        explain(topic);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return {};
}

}  // namespace

TEST_CASE("every parameter has help in sentences") {
    for (const Parameter& row : parameter_table()) {
        INFO(qualified_name(row, Dialect::ini, 0));
        for (const std::string_view text : {row.help, row.details}) {
            CHECK(text.size() >= 10 - (text == row.details ? 1 : 0));
            CHECK(text.ends_with('.'));
        }
        CHECK((row.background.empty() || row.background.ends_with('.')));
        CHECK(row.help.size() <= 100);
    }
}

TEST_CASE("explain KEY shows its meaning, unit, allowed values, default and TOML name") {
    for (const Parameter& row : parameter_table()) {
        INFO(qualified_name(row, Dialect::ini, 0));
        const std::string text = in_one_line(explain(std::string(info_of(row.section).ini_name) + "." + std::string(row.ini_name)));
        CHECK_THAT(text, ContainsSubstring(std::string(row.help)) && ContainsSubstring(std::string(row.details)) &&
                             ContainsSubstring(std::string(row.background)) &&
                             ContainsSubstring(std::string(unit_text(row, Dialect::ini))) &&
                             ContainsSubstring(allowed_text(row, Dialect::ini)) && ContainsSubstring(default_text(row, Dialect::ini)) &&
                             ContainsSubstring(qualified_name(row, Dialect::toml, 0)));
    }
}

TEST_CASE("explain shows a parameter in its exact layout") {
    CHECK(explain("rollbackchance") ==
          "[RandomUser] RollbackChance\n"
          "  Chance that an update is rolled back.\n"
          "  The page is changed only in memory, then restored; no log is written for it.\n"
          "  The disk must still hold the old image.\n"
          "\n"
          "  Unit        hundredths of a percent\n"
          "  Allowed     0 to 10000 (hundredths of a percent, 10000 = 100 %)\n"
          "  Default     100\n"
          "  TOML        [random_user] rollback_chance_percent\n"
          "              0.0 to 100.0 percent, at most two decimals; default 1.0\n");
}

TEST_CASE("a key is found in any letter case, by alias, by TOML name, with its section, and in all sections") {
    const std::string text = explain("UseScatterGather");
    CHECK(explain("scattergather") == text);
    CHECK(explain("use_scatter_gather") == text);
    CHECK(explain("config.use_scatter_gather") == text);
    CHECK(explain("[CONFIG].UseScatterGather") == text);
    CHECK_THAT(text, ContainsSubstring("Also        ScatterGather\n"));
    CHECK_THAT(explain("UserCount"), ContainsSubstring("[RandomUser] UserCount") && ContainsSubstring("[AuditUser] UserCount") &&
                                         ContainsSubstring("[ReadAheadUser] UserCount") && ContainsSubstring("[BulkUpdateUser] UserCount"));
    CHECK(explain("AuditUser.UserCount").find("RandomUser") == std::string::npos);
    CHECK_THAT(explain("MaxSize"), ContainsSubstring("[FileN] MaxSize") && ContainsSubstring("none, must be given"));
}

TEST_CASE("a section is found with and without brackets, in both spellings, and lists its keys") {
    const std::string text = explain("ReadAheadUser");
    for (const char* topic : {"[ReadAheadUser]", "readaheaduser", "read_ahead_user", "[read_ahead_user]"}) CHECK(explain(topic) == text);
    for (const char* topic : {"File", "File1", "[file2]", "[[file]]"}) CHECK(explain(topic) == explain("File"));
    CHECK_THAT(text, ContainsSubstring("BuffersRAMin") && ContainsSubstring("RADelay") && ContainsSubstring("SQL Server: Read-ahead"));
}

TEST_CASE("explain without a topic lists every section and key") {
    const std::string text = explain("");
    for (const SectionInfo& info : section_table()) CHECK_THAT(in_one_line(text), ContainsSubstring(std::string(info.help)));
    for (const Parameter& row : parameter_table())
        CHECK_THAT(in_one_line(text), ContainsSubstring(std::string(row.ini_name) + " " + std::string(row.help)));
}

TEST_CASE("nothing is wider than the terminal") {
    for (const std::size_t columns : {80U, 100U, 132U}) {
        CHECK(widest_line(explain("", columns)) <= columns);
        for (const SectionInfo& info : section_table()) CHECK(widest_line(explain(info.ini_name, columns)) <= columns);
        for (const Parameter& row : parameter_table()) {
            INFO(qualified_name(row, Dialect::ini, 0));
            CHECK(widest_line(explain(row.ini_name, columns)) <= columns);
        }
    }
    CHECK(widest_line(explain("TargetIODuration", 132)) > 80);
}

TEST_CASE("an unknown topic is an error with a suggestion") {
    CHECK(error_of_topic("RolbackChance") ==
          "RolbackChance: no such section or key; did you mean RollbackChance? \"ioproof config explain\" lists all");
    CHECK_THAT(error_of_topic("RandomUser.AuditDelay"), ContainsSubstring("no such section or key"));
    CHECK_THAT(error_of_topic("auditusr"), ContainsSubstring("did you mean AuditUser?"));
    CHECK(error_of_topic("Bogus") == "Bogus: no such section or key; \"ioproof config explain\" lists all");
}
