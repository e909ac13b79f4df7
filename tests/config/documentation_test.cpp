// docs/configuration.md must agree with the table of parameters.
#include <cstdlib>
#include <fstream>

#include "config/parameter_table.hpp"
#include "tests/config/support.hpp"
#include "tests/support/catch.hpp"

using namespace config;
using namespace config_test;

TEST_CASE("the committed page is the generated one", "[docs]") {
    const auto path = source_root() / "docs" / "configuration.md";
    if (std::getenv("IOPROOF_UPDATE_DOCS") != nullptr) std::ofstream(path, std::ios::binary) << documentation_page();
    INFO("IOPROOF_UPDATE_DOCS=1 tests/config_test \"[docs]\", run in the build directory, writes it anew");
    CHECK((read_whole(path) == documentation_page()));
}

TEST_CASE("every section and every parameter is documented", "[docs]") {
    const std::string page = documentation_page();
    for (const SectionInfo& info : section_table()) {
        CHECK_THAT(page, ContainsSubstring("## [" + std::string(info.ini_name)));
    }
    for (const Parameter& row : parameter_table()) {
        CHECK_THAT(page, ContainsSubstring("| `" + std::string(row.ini_name) + "`") &&
                             ContainsSubstring(" | `" + std::string(row.toml_name) + "` | ") &&
                             ContainsSubstring("- **" + std::string(row.ini_name) + "**: "));
    }
}
