#include "cli/help_text.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/switches.hpp"
#include "reports/text.hpp"
#include "sim/version.hpp"

namespace cli {
namespace {

constexpr std::size_t kHelpColumn = 6;

constexpr std::string_view kExitCodes =
    "Exit codes:\n"
    "  0    nothing wrong\n"
    "  1    integrity failure: the storage returned or kept something else than what was written\n"
    "  2    wrong usage or configuration, or refused because it could do harm\n"
    "  3    the run could not be done (no space, storage gone, missing or read-only folder, file in use)\n"
    "  130  stopped by a person, nothing wrong until then\n";

constexpr std::string_view kSafety =
    "Files are made and overwritten only if they do not exist or were made by ioproof before; *.mdf,\n"
    "*.ndf, *.ldf and block devices are refused.\n";

std::string switch_lines(const Switch& entry) {
    std::string names;
    if (!entry.sqliosim.empty()) names += fmt::format("-{}{}{}, ", entry.sqliosim, entry.value.empty() ? "" : " ", entry.value);
    names += fmt::format("--{}", entry.name);
    if (!entry.alias.empty()) names += fmt::format(", --{}", entry.alias);
    if (!entry.value.empty()) names += fmt::format(" {}", entry.value);
    std::string text = fmt::format("  {}\n", names);
    std::string_view help = entry.help;
    while (!help.empty()) {
        const std::size_t end = std::min(help.find('\n'), help.size());
        text += fmt::format("{:{}}{}\n", "", kHelpColumn, help.substr(0, end));
        help.remove_prefix(std::min(end + 1, help.size()));
    }
    return text;
}

std::string usage_lines() {
    constexpr std::size_t kSummaryColumn = 42;
    std::string text;
    for (const Command& command : commands()) {
        std::string call = fmt::format("  ioproof {}", command.name);
        if (!command.operands.empty()) call += fmt::format(" {}", command.operands);
        if (!command.switches.empty()) call += " [SWITCHES]";
        text += fmt::format("{} {}\n", reports::pad_right(call, kSummaryColumn), command.summary);
    }
    return text;
}

}  // namespace

std::string switch_table(std::span<const Switch> switches) {
    std::string text = "Switches:\n";
    for (const Switch& entry : switches) text += switch_lines(entry);
    return text + "  -h, --help\n      this text\n";
}

std::string help_text() {
    return fmt::format(
        "ioproof {}: proves that storage gives back what it was given, with SQL Server's I/O.\n"
        "\n"
        "Usage:\n"
        "{}"
        "  ioproof --version\n"
        "  ioproof --help\n"
        "\n"
        "'ioproof COMMAND --help' explains a command's switches; so does the manual page, man ioproof.\n"
        "\n"
        "Examples:\n"
        "  ioproof run -dir /mnt/data -size 256 -d 60          one data and one log file, one minute\n"
        "  ioproof run -dir /mnt/data -dir /mnt/log --ephemeral two pairs of files, deleted at the end\n"
        "  ioproof run -cfg sqliosim.cfg.ini -log run.log.xml  SQLIOSim's own configuration\n"
        "  ioproof config explain TargetIODuration\n"
        "\n"
        "Called through a link named 'sqliosim' it takes the switches of SQLIOSIM.COM without a command.\n"
        "\n{}\n{}",
        sim::kVersion, usage_lines(), kSafety, kExitCodes);
}

std::string run_help_text() {
    return fmt::format(
        "Usage: ioproof run [SWITCHES]\n"
        "\n"
        "Makes the files, writes every page, runs all users for the given time, and reads and verifies every\n"
        "page at the end. Switches win over the configuration file.\n"
        "\n{}\n"
        "Examples:\n"
        "  ioproof run -dir /mnt/data -size 256 -d 60\n"
        "  ioproof run -cfg sqliosim.hwcache.cfg.ini -dir /mnt/data -log run.log.xml\n"
        "  ioproof run -dir /mnt/data -save my.cfg.ini -size 1024 -d 300\n"
        "  ioproof run -dir /mnt/data --seed 4711 --engine threads --ephemeral\n"
        "\n"
        "Ctrl-C ends a run in order, with the summary; a second Ctrl-C ends it at once.\n"
        "\n{}\n{}",
        switch_table(run_switches()), kSafety, kExitCodes);
}

std::string config_help_text() {
    return "Usage:\n"
           "  ioproof config show [SWITCHES]     print the configuration that 'ioproof run' with the same switches\n"
           "                                     would use: defaults, file, switches. Nothing is run\n"
           "  ioproof config explain [NAME]      say what a parameter means, its unit, range and default;\n"
           "                                     without NAME: all parameters\n"
           "\n"
           "Examples:\n"
           "  ioproof config show -cfg sqliosim.cfg.ini -dir /mnt/data -size 64\n"
           "  ioproof config explain CacheHitRatio\n";
}

std::string sqliosim_help_text() {
    return fmt::format(
        "Usage: sqliosim [-cfg FILE] [-save FILE] [-log FILE] [-dir DIR]… [-d SECONDS] [-size MB]\n"
        "\n{}\n"
        "This is ioproof {}, called as sqliosim; 'ioproof --help' shows all it can do.\n"
        "\n{}\n{}",
        switch_table(run_switches()), sim::kVersion, kSafety, kExitCodes);
}

std::string version_text() { return fmt::format("ioproof {}\n", sim::kVersion); }

}  // namespace cli
