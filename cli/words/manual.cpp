#include "cli/words/manual.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/process/exit_codes.hpp"
#include "cli/words/commands.hpp"
#include "cli/words/help_text.hpp"
#include "config/manual.hpp"
#include "config/roff.hpp"
#include "sim/version.hpp"

namespace cli {
namespace {

using config::roff_bold;
using config::roff_example;
using config::roff_place;
using config::roff_section;
using config::roff_text;

// Joins lines, because help texts are broken for a terminal, but manual pages are filled.
std::string filled(std::string_view lines) {
    std::string text(lines);
    std::replace(text.begin(), text.end(), '\n', ' ');
    return roff_text(text);
}

std::string with_value(std::string_view name, const Switch& entry) {
    return entry.value.empty() ? roff_bold(name) : fmt::format("{} {}", roff_bold(name), roff_place(entry.value));
}

std::string switch_entry(const Switch& entry) {
    std::string names;
    if (!entry.sqliosim.empty()) names += with_value(fmt::format("-{}", entry.sqliosim), entry) + ", ";
    names += with_value(fmt::format("--{}", entry.name), entry);
    if (!entry.alias.empty()) names += ", " + with_value(fmt::format("--{}", entry.alias), entry);
    return fmt::format(".TP\n{}\n{}\n", names, filled(entry.help));
}

std::string roff_paragraphs(std::string_view text) {
    std::string page;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        page += fmt::format("{}{}\n", page.empty() ? "" : ".PP\n", roff_text(text.substr(0, end)));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return page;
}

std::string synopsis() {
    std::string page = roff_section("Synopsis");
    for (const Command& command : commands()) {
        page += fmt::format("{}.B ioproof {}\n", page.ends_with("SYNOPSIS\n") ? "" : ".br\n", roff_text(command.name));
        if (!command.operands.empty()) page += fmt::format(".I {}\n", roff_text(command.operands));
        if (!command.switches.empty() && command.options.empty()) page += ".RI [ SWITCHES ]\n";
    }
    return page +
           ".br\n.B sqliosim\n.RI [ SWITCHES ]\n.br\n.B diskspd\n.RI [ OPTIONS ]\n.I TARGET…\n.br\n.B sqlio\n.RI [ OPTIONS ]\n.I [FILE…]\n";
}

std::string code_list(std::string_view codes) {
    std::string page;
    while (!codes.empty()) {
        const std::string_view line = codes.substr(0, codes.find('\n'));
        const std::size_t blank = line.find(' ');
        page += fmt::format(".TP\n{}\n{}\n", roff_bold(line.substr(0, blank)), roff_text(line.substr(blank + 1)));
        codes.remove_prefix(std::min(line.size() + 1, codes.size()));
    }
    return page;
}

// Entries for the options of another tool's command line.
std::string option_entries(std::string_view lines) {
    std::string page;
    while (!lines.empty()) {
        const std::string_view line = lines.substr(0, lines.find('\n'));
        const std::size_t tab = line.find('\t');
        page += fmt::format(".TP\n{}\n{}\n", roff_bold(line.substr(0, tab)), roff_text(line.substr(tab + 1)));
        lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    }
    return page;
}

std::string command_part(const Command& command) {
    std::string page = fmt::format(".SH IOPROOF {}\n", roff_text(command.name));
    std::transform(page.begin() + 4, page.end(), page.begin() + 4, [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    page += roff_paragraphs(command.description);
    if (!command.switches_of.empty()) {
        page += fmt::format(".PP\nTakes the switches of \\fBioproof {}\\fR.\n", roff_text(command.switches_of));
    } else {
        for (const Switch& entry : command.switches) page += switch_entry(entry);
    }
    page += option_entries(command.options);
    if (!command.exit_codes.empty()) page += ".PP\nExit codes:\n" + code_list(command.exit_codes);
    if (!command.examples.empty()) page += ".PP\nExamples:\n" + roff_example(command.examples);
    return page;
}

}  // namespace

std::string program_manual() {
    std::string page = fmt::format(".TH IOPROOF 1 \"\" \"ioproof {}\" \"User commands\"\n", sim::kVersion);
    page += roff_section("Name") + "ioproof, sqliosim \\- prove that storage gives back what it was given, with SQL Server\\(aqs I/O\n";
    page += synopsis();
    page +=
        roff_section("Description") +
        "ioproof performs SQL Server's I/O on test files of its own, as SQLIOSim does, verifies every page that comes back, and says in "
        "plain words whether this storage can be trusted with SQL Server.\n.PP\n"
        "When called through a link named \\fBsqliosim\\fR it takes the switches of SQLIOSIM.COM without a command: those of "
        "\\fBioproof run\\fR.\n";
    for (const Command& command : commands()) page += command_part(command);
    page += roff_section("Exit status") + code_list(kExitCodes);
    page += roff_section("Files") +
            ".TP\n.I sqliosim.cfg.ini\nthe configuration, if the current folder has one and no other is named\n"
            ".TP\n.I sqliosim.log.xml\nthe log of a run\n"
            ".TP\n.IR DIR /sqliosim.mdx ,\\  DIR /sqliosim.ldx\nthe data and the log file that \\fB\\-dir\\fR makes\n";
    page += roff_section("Environment") +
            ".TP\n.B NO_COLOR\nno colours, if it is set and not empty\n"
            ".TP\n.BR LC_ALL ,\\  LC_CTYPE ,\\  LANG\nwith UTF-8 the progress line shows the course of the throughput\n";
    return page + roff_section("See also") + ".BR ioproof.conf (5)\n";
}

std::string generated_text(std::string_view what) {
    if (what == "ioproof.1") return program_manual();
    if (what == "ioproof.conf.5") return config::configuration_manual(sim::kVersion);
    return completion_script(what);
}

}  // namespace cli
