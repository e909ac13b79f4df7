#include "cli/preflight_arguments.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "cli/exit_codes.hpp"
#include "cli/switch_words.hpp"

namespace cli {
namespace {

constexpr std::array kPreflightSwitches{
    Switch{.name = "tempdb",
           .value = "DIR",
           .repeatable = true,
           .help = "a folder for tempdb only: nothing there need be durable, and it may be on tmpfs;\nmay be repeated"},
    Switch{.name = "json", .value = "FILE", .help = "the lines as JSON; '-': to the standard output, instead of the text"},
};

}  // namespace

Switches preflight_switches() { return kPreflightSwitches; }

PreflightArguments parse_preflight(const std::vector<std::string>& words) {
    PreflightArguments arguments;
    const SwitchWords typed = parse_words(kPreflightSwitches, words);
    for (const SwitchWord& word : typed.switches) {
        if (word.name == "json") arguments.json_path = word.value;
        if (word.name == "tempdb") arguments.tempdb_folders.push_back(word.value);
    }
    for (const std::string& folder : typed.operands) {
        if (std::find(arguments.folders.begin(), arguments.folders.end(), folder) == arguments.folders.end()) {
            arguments.folders.push_back(folder);
        }
    }
    if (arguments.folders.empty() && arguments.tempdb_folders.empty())
        throw UsageError("name a folder, as in 'ioproof preflight /mnt/data'");
    return arguments;
}

}  // namespace cli
