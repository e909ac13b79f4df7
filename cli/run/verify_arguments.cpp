#include "cli/run/verify_arguments.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "cli/process/exit_codes.hpp"
#include "cli/words/switch_words.hpp"

namespace cli {
namespace {

// The switches of a run that also apply to a verification: which files, and how to report on them.
constexpr std::array<std::string_view, 18> kSharedWithRun{
    "ledger", "witness", "key-file", "cert",   "cert-key", "ca",          "config", "log",     "findings",
    "json",   "html",    "dir",      "engine", "status",   "no-progress", "quiet",  "profile", "overwrite-foreign-files"};

}  // namespace

Switches verify_switches() {
    static const std::vector<Switch> table = [] {
        std::vector<Switch> switches;
        for (const Switch& entry : run_switches()) {
            if (std::find(kSharedWithRun.begin(), kSharedWithRun.end(), entry.name) != kSharedWithRun.end()) switches.push_back(entry);
        }
        for (Switch& entry : switches) {
            if (entry.name == "dir") {
                entry.help =
                    "the run's sqliosim.mdx and sqliosim.ldx are in this folder; may be repeated.\n"
                    "Replaces the files of the configuration";
            }
            if (entry.name == "log") {
                entry.help = "XML log (default: the run's, with 'verify' in its name: sqliosim.verify.log.xml)";
            }
            if (entry.name == "ledger") {
                entry.help =
                    "the file in which the run kept what had been acknowledged: all of it must be there.\n"
                    "It is only read; --repair begins it anew";
            }
            if (entry.name == "overwrite-foreign-files") {
                entry.help =
                    "with --repair: DANGER. Also repair block devices, and *.mdf, *.ndf and *.ldf, on\n"
                    "which the run worked with this switch. A verification reads them without it";
            }
            if (entry.name == "witness") {
                entry.help =
                    "like --ledger, but on another machine, where 'ioproof witness' keeps it (docs/witness.md).\n"
                    "Without a port: 7017";
            }
            if (entry.name == "json") entry.help = "write everything about the verification to this file (docs/results.schema.json)";
        }
        switches.push_back(Switch{.name = "repair",
                                  .help = "write to the files: make them usable for 'run --resume' whatever is wrong with them, and say\n"
                                          "what is given up. The evidence is gone then, so verify without it first"});
        return switches;
    }();
    return table;
}

RunArguments parse_verify(const std::vector<std::string>& words) {
    const SwitchWords typed = parse_words(verify_switches(), words);
    if (!typed.operands.empty()) {
        const std::string& word = typed.operands.front();
        throw UsageError(fmt::format("'{}' is not a switch; the folder of the run's files is named with -dir {}", word, word));
    }
    RunArguments arguments;
    arguments.job = sim::Job::verify;
    for (const SwitchWord& word : typed.switches) {
        if (word.name == "repair") {
            arguments.job = sim::Job::repair;
        } else {
            set_run_value(arguments, word);
        }
    }
    check_keepers(arguments);
    return arguments;
}

}  // namespace cli
