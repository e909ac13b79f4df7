#include "cli/preflight_arguments.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "cli/help_text.hpp"
#include "cli/switch_words.hpp"
#include "cli/usage_error.hpp"

namespace cli {
namespace {

constexpr std::array kPreflightSwitches{
    Switch{.name = "json", .value = "FILE", .help = "the lines as JSON; '-': to the standard output, instead of the text"},
};

}  // namespace

std::span<const Switch> preflight_switches() { return kPreflightSwitches; }

PreflightArguments parse_preflight(const std::vector<std::string>& words) {
    PreflightArguments arguments;
    const SwitchWords typed = take_apart("preflight", kPreflightSwitches, words);
    for (const SwitchWord& word : typed.switches) arguments.json_path = word.value;
    for (const std::string& folder : typed.operands) {
        if (std::find(arguments.folders.begin(), arguments.folders.end(), folder) == arguments.folders.end()) {
            arguments.folders.push_back(folder);
        }
    }
    if (arguments.folders.empty()) throw UsageError("ioproof preflight: name a folder, as in 'ioproof preflight /mnt/data'");
    return arguments;
}

std::string preflight_help_text() {
    return fmt::format(
        "Usage: ioproof preflight DIR… [SWITCHES]\n"
        "\n"
        "Looks at the folders that database files shall be in: file system and mount options, direct I/O, how writes are\n"
        "made durable and what that costs, sectors, alignment, stripes, queue settings, limits, other users of the disk.\n"
        "Each line is OK, WARN or FAIL; those that are not OK say why, who says so, and the command that cures it.\n"
        "Writes one temporary file of 32 MB to each folder, which has no name and is gone at the end. Nothing is changed.\n"
        "Takes some seconds a folder. Without root less is seen of other users' processes.\n"
        "\n{}\n"
        "Examples:\n"
        "  ioproof preflight /mnt/data /mnt/log\n"
        "  ioproof preflight /mnt/data --json -\n"
        "\n"
        "Exit codes: 0 no FAIL, 1 at least one FAIL, 2 usage, 3 a folder is missing, read-only or full.\n",
        switch_table(preflight_switches()));
}

}  // namespace cli
