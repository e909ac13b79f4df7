#include "cli/words/help_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/words/commands.hpp"
#include "reports/text.hpp"
#include "sim/version.hpp"
#include "ums/base/text_wrap.hpp"

namespace cli {

const std::string_view kExitCodes =
    "0 nothing wrong\n"
    "1 the storage returned or kept something other than what was written, or failed; or a --fail-on limit was exceeded\n"
    "2 wrong usage or configuration, or refused because it could do harm\n"
    "3 the run could not be done: no space, a missing or read-only folder, a file in use, a limit of the process reached; or nothing was "
    "wrong, but not all output could be written\n"
    "70 an internal error of ioproof\n"
    "130 stopped by a person, nothing wrong until then";

namespace {

constexpr std::size_t kColumns = 100;
constexpr std::size_t kHelpColumn = 6;

std::string_view take_line(std::string_view& lines) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    return line;
}

std::string paragraphs(std::string_view lines) {
    std::string text;
    while (!lines.empty()) text += ums::wrap(take_line(lines), kColumns, "", 0);
    return text;
}

std::string switch_lines(const Switch& entry) {
    std::string names;
    if (!entry.sqliosim.empty()) names += fmt::format("-{}{}{}, ", entry.sqliosim, entry.value.empty() ? "" : " ", entry.value);
    names += fmt::format("--{}", entry.name);
    if (!entry.alias.empty()) names += fmt::format(", --{}", entry.alias);
    if (!entry.value.empty()) names += fmt::format(" {}", entry.value);
    std::string text = fmt::format("  {}\n", names);
    for (std::string_view help = entry.help; !help.empty();) text += fmt::format("{:{}}{}\n", "", kHelpColumn, take_line(help));
    return text;
}

// "Switches:" and an entry for each switch, --help last.
std::string switch_table(const Command& command) {
    std::string text = "Switches:\n";
    if (command.switches_of.empty()) {
        for (const Switch& entry : command.switches) text += switch_lines(entry);
    } else {
        text += fmt::format("  those of 'ioproof {}'\n", command.switches_of);
    }
    return text + (command.options.empty() ? "  -h, --help\n      this text\n" : "  --help\n      this text\n");
}

// "Options:" and an entry for each line.
std::string option_table(std::string_view lines) {
    std::string text = lines.empty() ? "" : "Options:\n";
    while (!lines.empty()) {
        const std::string_view line = take_line(lines);
        const std::size_t tab = line.find('\t');
        text += fmt::format("  {}\n", line.substr(0, tab));
        text += ums::wrap(line.substr(tab + 1), kColumns, std::string(kHelpColumn, ' '), kHelpColumn);
    }
    return text.empty() ? text : text + "\n";
}

std::string example_lines(std::string_view lines) {
    std::string text = "Examples:\n";
    while (!lines.empty()) text += fmt::format("  {}\n", take_line(lines));
    return text;
}

std::string exit_code_lines(std::string_view lines) {
    std::string text = "Exit codes:\n";
    while (!lines.empty()) {
        const std::string_view line = take_line(lines);
        const std::size_t blank = line.find(' ');
        text += ums::wrap(line.substr(blank + 1), kColumns, fmt::format("  {:<5}", line.substr(0, blank)), 7);
    }
    return text;
}

std::string call_of(const Command& command) {
    std::string call = fmt::format("ioproof {}", command.name);
    if (!command.operands.empty()) call += fmt::format(" {}", command.operands);
    if (!command.switches.empty() && command.options.empty()) call += " [SWITCHES]";
    return call;
}

std::string usage_lines() {
    constexpr std::size_t kSummaryColumn = 42;
    std::string text;
    for (const Command& command : commands()) {
        text += fmt::format("{} {}\n", reports::pad_right("  " + call_of(command), kSummaryColumn), command.summary);
    }
    return text;
}

// Everything below the line "Usage: …".
std::string body_of(const Command& command) {
    return fmt::format("{}\n{}{}\n{}\n{}", paragraphs(command.description), option_table(command.options), switch_table(command),
                       example_lines(command.examples), exit_code_lines(command.exit_codes.empty() ? kExitCodes : command.exit_codes));
}

}  // namespace

std::string help_text(const Command& command) { return fmt::format("Usage: {}\n\n{}", call_of(command), body_of(command)); }

std::string help_text_of_group(std::string_view first_word) {
    std::string text;
    for (const Command& command : commands()) {
        if (command.name.substr(0, command.name.find(' ')) != first_word) continue;
        text += (text.empty() ? "" : "\n") + help_text(command);
    }
    return text;
}

std::string help_text() {
    return fmt::format(
        "ioproof {}: proves that storage gives back what it was given, with SQL Server's I/O.\n"
        "\n"
        "Usage:\n"
        "{}  ioproof --version\n"
        "  ioproof --help\n"
        "\n"
        "'ioproof COMMAND --help' explains a command and its switches; so does the manual page, man ioproof.\n"
        "\n"
        "Examples:\n"
        "  ioproof run -dir /mnt/data -size 256 -d 60           one data and one log file, one minute\n"
        "  ioproof run -dir /mnt/data -dir /mnt/log --ephemeral two pairs of files, deleted at the end\n"
        "  ioproof run -cfg sqliosim.cfg.ini -log run.log.xml   SQLIOSim's own configuration\n"
        "  ioproof config explain TargetIODuration\n"
        "\n"
        "When called through a link named 'sqliosim' it takes SQLIOSIM.COM's switches without a command;\n"
        "through 'diskspd' and 'sqlio' those of these tools.\n"
        "\n"
        "{}",
        sim::kVersion, usage_lines(), exit_code_lines(kExitCodes));
}

std::string sqliosim_help_text() {
    return fmt::format(
        "Usage: sqliosim [-cfg FILE] [-save FILE] [-log FILE] [-dir DIR]… [-d SECONDS] [-size MB]\n"
        "\n"
        "This is ioproof {}, called as sqliosim; 'ioproof --help' shows all it can do.\n"
        "\n{}",
        sim::kVersion, body_of(*find_command({"run"})));
}

std::string version_text() { return fmt::format("ioproof {}\n", sim::kVersion); }

}  // namespace cli
