#include "config/manual.hpp"

#include <fmt/format.h>

#include "config/parameter_table.hpp"
#include "config/roff.hpp"
#include "config/value_text.hpp"

namespace config {

namespace {

std::string section_name(const SectionInfo& info) {
    const std::string_view ini = name_of(info.section, Dialect::ini);
    return info.section == Section::file ? fmt::format("[{0}1], [{0}2], ...", ini) : fmt::format("[{}]", ini);
}

// "Range" without a period after it, because sentences follow.
std::string fact(std::string_view label, std::string_view text) {
    return text.empty() ? std::string() : fmt::format("{}: {}.\n", label, roff_text(text));
}

std::string parameter_entry(const Parameter& parameter) {
    std::string page =
        fmt::format(".TP\n{}\n{}\n{}\n", roff_bold(parameter.ini_name), roff_text(parameter.help), roff_text(parameter.details));
    page += ".br\n";
    page += fact("Also", parameter.ini_alias);
    page += fact("Unit", unit_text(parameter, Dialect::ini));
    page += fact("Allowed", allowed_text(parameter, Dialect::ini));
    page += fact("Default", parameter.required ? "none, must be given" : default_text(parameter, Dialect::ini));
    page += fact("TOML", qualified_name(parameter, Dialect::toml, 0));
    if (!parameter.background.empty()) page += fmt::format(".br\nSQL Server: {}\n", roff_text(parameter.background));
    return page;
}

std::string section_entry(const SectionInfo& info) {
    std::string page = roff_section(section_name(info)) + roff_text(info.help) + "\n";
    if (!info.background.empty()) page += fmt::format(".PP\nSQL Server: {}\n", roff_text(info.background));
    for (const Parameter& parameter : parameter_table()) {
        if (parameter.section == info.section) page += parameter_entry(parameter);
    }
    return page;
}

constexpr std::string_view kDescription =
    "The configuration of a run: the INI of SQLIOSim as it is, or the same in TOML if the name of the file ends in .toml.\n"
    ".PP\n"
    "In INI a line that begins with a semicolon or # is a comment, names may be written in any case, booleans are TRUE and FALSE, and "
    "shares are in hundredths of a percent (1000 is 10 %). In TOML names are in lower case with underscores and shares are in percent. "
    "Every parameter has a default, except for names and sizes of files. Switches of the command line override the file. An unknown "
    "section is an error; an unknown key is ignored, with a warning.\n";

constexpr std::string_view kExample =
    "[CONFIG]\nTestCycleDuration=300\n\n[File1]\nFileName=/mnt/data/sqliosim.mdx\nInitialSize=4096\nMaxSize=8192\nIncrement=64\nShrinkable="
    "TRUE\n\n[File2]\nFileName=/mnt/log/sqliosim.ldx\nInitialSize=512\nMaxSize=512\nLogFile=TRUE\n";

}  // namespace

std::string configuration_manual(std::string_view version) {
    std::string page = fmt::format(".TH IOPROOF.CONF 5 \"\" \"ioproof {}\" \"File formats\"\n", version);
    page += roff_section("Name") + "ioproof.conf \\- configuration of a run of ioproof\n";
    page += roff_section("Synopsis") + ".I sqliosim.cfg.ini\n.br\n.I name.toml\n";
    page += roff_section("Description") + std::string(kDescription);
    for (const SectionInfo& info : section_table()) page += section_entry(info);
    page += roff_section("Examples") + roff_example(kExample);
    page += roff_section("See also") + ".BR ioproof (1)\n";
    return page;
}

}  // namespace config
