#include "cli/verify_command.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "cli/exit_codes.hpp"
#include "cli/run_command.hpp"
#include "cli/switch_words.hpp"

namespace cli {
namespace {

// Those of a run that say which files, and what is told of them.
constexpr std::array<std::string_view, 17> kSharedWithRun{"ledger", "witness", "key-file",    "cert",  "cert-key", "ca",
                                                          "config", "log",     "findings",    "json",  "html",     "dir",
                                                          "engine", "status",  "no-progress", "quiet", "profile"};

const std::vector<Switch>& verify_table() {
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
            if (entry.name == "witness") entry.help = "the same on another machine, where 'ioproof witness' keeps it (docs/witness.md)";
            if (entry.name == "json") entry.help = "write everything about the verification to this file (docs/results.schema.json)";
        }
        switches.push_back(Switch{.name = "repair",
                                  .help = "write to the files: make them usable for 'run --resume' whatever is wrong with them, and say\n"
                                          "what is given up. The evidence is gone then, so verify without it first"});
        return switches;
    }();
    return table;
}

}  // namespace

RunArguments parse_verify(const std::vector<std::string>& words) {
    const SwitchWords typed = parse_words(verify_table(), words);
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

Command verify_command() {
    return {
        .name = "verify",
        .operands = "",
        .summary = "say what has survived of a run after a crash",
        .description =
            "After a crash, a kill -9, a power cut, a reset of the virtual machine, a failover or the restore of a snapshot: reads the "
            "files that the run left, as SQL Server's recovery does, and says whether everything that was acknowledged is there. The log "
            "is read from the last complete checkpoint to its end, and every page is compared with what the log proves of it "
            "(docs/durability.md). Name the files as the run did: by the same -cfg or -dir.\n"
            "Writes nothing to the files, unless --repair asks for it. The next run deletes them, so verify first; 'run --resume' "
            "continues with them.",
        .switches = verify_table(),
        .examples =
            "ioproof verify -dir /mnt/data\n"
            "ioproof verify -dir /mnt/data --ledger /other/disk/run.ledger\n"
            "ioproof verify -cfg sqliosim.hwcache.cfg.ini -log after.xml --json after.json",
        .exit_codes =
            "0 nothing that had been acknowledged is missing\n"
            "1 acknowledged writes are lost, or the storage failed\n"
            "2 wrong usage or configuration, or none of the files is ours\n"
            "3 nothing can be said: the run was cut off before its first change, or the files cannot be read\n"
            "70 an internal error of ioproof\n"
            "130 stopped by a person, nothing wrong until then",
        .execute = [](const Call& call) { return run_on_files(call, parse_verify(call.words)); }};
}

}  // namespace cli
