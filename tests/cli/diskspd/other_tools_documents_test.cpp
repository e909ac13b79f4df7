// The documents on the other tools' command lines must list the same options as the help.
#include <filesystem>
#include <sstream>
#include <string>

#include "cli/diskspd/diskspd_options.hpp"
#include "cli/sqlio/sqlio_options.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/process.hpp"

namespace {

void check_options(std::string_view options, const std::string& document) {
    std::string text = test::read_text(std::filesystem::path(IOPROOF_SOURCE_ROOT) / "docs" / document);
    for (std::size_t place = text.find("\\|"); place != std::string::npos; place = text.find("\\|")) text.erase(place, 1);
    std::istringstream lines{std::string(options)};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream spellings(line.substr(0, line.find('\t')));
        for (std::string spelling; std::getline(spellings, spelling, ',');) {
            spelling.erase(0, spelling.find_first_not_of(' '));
            if (!spelling.starts_with('-')) continue;  // the remainder of a list in a value
            const std::string name = spelling.substr(0, spelling.find_first_of("<[#"));
            INFO(document << ": " << spelling);
            CHECK(text.find("`" + name) != std::string::npos);
        }
    }
}

}  // namespace

TEST_CASE("docs/diskspd.md has every option of DiskSpd that the help has") { check_options(cli::kDiskspdOptions, "diskspd.md"); }

TEST_CASE("docs/sqlio.md has every option of SQLIO that the help has") { check_options(cli::kSqlioOptions, "sqlio.md"); }
