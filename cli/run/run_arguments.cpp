#include "cli/run/run_arguments.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "cli/link/witness_address.hpp"
#include "cli/process/exit_codes.hpp"
#include "cli/words/shell_quoted.hpp"
#include "cli/words/switch_words.hpp"

namespace cli {
namespace {

// Rare enough not to flood a long run with findings.
constexpr double kInjectionRate = 1e-5;
// As the configuration allows: a year, and files below 32 TB that may grow to twice the size.
constexpr std::uint64_t kDurationSMax = 365ULL * 24 * 3600;
constexpr std::uint64_t kSizeMbMax = (32ULL * 1024 * 1024 - 1) / 2;

// Each of SQLIOSim's switches exists to the letter, with its single dash, and in GNU style.
constexpr std::array kOwnSwitches{
    Switch{.name = "config",
           .alias = "cfg",
           .sqliosim = "cfg",
           .value = "FILE",
           .help = "configuration: SQLIOSim's INI, or TOML if the name ends in .toml\n"
                   "(default: sqliosim.cfg.ini of the current folder, if there is one)"},
    Switch{.name = "profile",
           .value = "NAME",
           .help = "use this load for what the configuration does not set: sql2005 (SQLIOSim's, default),\n"
                   "sql2022-oltp, sql2022-warehouse or sql2022-mixed; 'config show --profile NAME' shows it"},
    Switch{.name = "save",
           .sqliosim = "save",
           .value = "FILE",
           .help = "write the resulting configuration (defaults, file, switches), then run;\n"
                   "if no file is named yet, it is still written, for you to complete"},
    Switch{
        .name = "log", .sqliosim = "log", .value = "FILE", .help = "XML log (default: ErrorFile of the configuration, sqliosim.log.xml)"},
    Switch{.name = "findings",
           .value = "FILE",
           .help = "write each finding immediately as a line of JSON (docs/findings_format.md)\n"
                   "to this file; one that is not empty is refused"},
    Switch{.name = "json",
           .value = "FILE",
           .help = "write everything about the run to this file at its end (docs/results.schema.json);\n"
                   "an older file of ours is replaced, any other refused"},
    Switch{.name = "html", .value = "FILE", .help = "write the report as one page for a browser; see also 'ioproof report'"},
    Switch{.name = "dir",
           .sqliosim = "dir",
           .value = "DIR",
           .repeatable = true,
           .help = "make sqliosim.mdx and sqliosim.ldx in this folder; may be repeated.\nReplaces the files of the configuration"},
    Switch{.name = "duration",
           .sqliosim = "d",
           .value = "SECONDS",
           .help = "length of the main run (default: 300, or what the configuration says); preparation and final\n"
                   "audit take additional time"},
    Switch{.name = "size",
           .sqliosim = "size",
           .value = "MB",
           .help = "initial size of a data file (default with -dir: 4096); it may grow to twice that.\n"
                   "The log file gets half of it, at least 4 MB and at most 50 MB"},
    Switch{.name = "seed", .value = "N", .help = "repeat the random choices of an earlier run, which printed this number"},
    Switch{.name = "engine", .value = "NAME", .help = "uring, threads, or auto (default): io_uring where the kernel allows it"},
    Switch{.name = "inject",
           .value = "CLASS:RATE",
           .repeatable = true,
           .help = "REHEARSAL: inject faults of this class (docs/fault_model.md) into what is read, with\n"
                   "this chance for each page, to see that they are found; may be repeated. Every\n"
                   "report says that it was a rehearsal"},
    Switch{.name = "fail-on",
           .value = "EXPRESSION",
           .repeatable = true,
           .help = "exit with 1 if a figure of the run is above this limit, even if all data were right:\n"
                   "p99 > 50ms, log_flush.p99.9 > 5ms, longest > 1s, average > 20ms, throttled > 100,\n"
                   "long_io > 0, warnings > 0; 'in FILE' after it: only for this file. Classes: read,\n"
                   "scatter_read, write, gather_write, log_flush. May be repeated, or separated by commas"},
    Switch{.name = "resume",
           .help = "continue with the files that a crash left, instead of recreating them: verify them, bring\n"
                   "every page to the end of the log, and go on from there (docs/durability.md)"},
    Switch{.name = "ledger",
           .value = "FILE",
           .help = "record in this file, on another disk, what the storage has acknowledged: with the same\n"
                   "--ledger, 'verify' and 'run --resume' find losses even if the log has lost its own end\n"
                   "(docs/ledger_format.md)"},
    Switch{.name = "witness",
           .value = "ADDR:PORT",
           .help = "like --ledger, but on another machine, where 'ioproof witness' keeps it (docs/witness.md).\n"
                   "Without a port: 7017"},
    Switch{.name = "moments",
           .value = "PIPE",
           .help = "tell a program that cuts the power when a cut would do the most harm: a 'c' for each\n"
                   "checkpoint, an 'f' for each log flush, a 'g' for each growth (docs/powertest.md)"},
    Switch{.name = "ephemeral", .help = "delete the files at the end of the run"},
    Switch{.name = "overwrite-foreign-files",
           .help = "DANGER. Also write to files that ioproof did not make, to *.mdf, *.ndf,\n"
                   "*.ldf and to block devices. Whatever they hold (databases, file systems)\nis destroyed for good"},
    Switch{.name = "status",
           .value = "[ADDR:]PORT",
           .help = "serve a live view over HTTP: a page, /status.json, and /metrics for Prometheus.\n"
                   "Without ADDR for this machine only; port 0: any free one"},
    Switch{.name = "no-progress", .help = "no progress display"},
    Switch{.name = "quiet", .sqliosim = "q", .help = "only errors and the final report"},
};

sim::EngineChoice engine_of(const SwitchWord& word) {
    const auto choice = engine_named(word.value);
    if (!choice) refuse_value(word, kEngineWordsText);
    return *choice;
}

sim::FaultPlan injection_of(const SwitchWord& word) {
    std::string problem;
    const auto plan = sim::parse_fault_plan(word.value, kInjectionRate, problem);
    if (!plan) throw UsageError(fmt::format("{}: {}", word.spelling, problem));
    return *plan;
}

void add_limits(std::vector<reports::Threshold>& all, const SwitchWord& word) {
    std::string problem;
    auto some = reports::parse_thresholds(word.value, problem);
    if (!some) throw UsageError(fmt::format("{}: {}", word.spelling, problem));
    std::move(some->begin(), some->end(), std::back_inserter(all));
}

}  // namespace

void set_run_value(RunArguments& run, const SwitchWord& word) {
    const auto is = [&](std::string_view name) { return word.name == name; };
    if (is("config")) run.config_path = word.value;
    if (is("profile")) run.profile = word.value;
    if (is("save")) run.save_path = word.value;
    if (is("log")) run.log_path = word.value;
    if (is("findings")) run.findings_path = word.value;
    if (is("json")) run.json_path = word.value;
    if (is("html")) run.html_path = word.value;
    if (is("moments")) run.moments_path = word.value;
    if (is("ledger")) run.ledger_path = word.value;
    if (is("witness")) run.witness = parse_witness_address(word);
    set_tls_value(run.witness_keys, word);
    set_group_value(run.group, word);
    if (is("dir")) run.directories.push_back(word.value);
    if (is("duration")) run.duration_s = number_of(word, 1, kDurationSMax, " of seconds");
    if (is("size")) run.size_mb = number_of(word, 1, kSizeMbMax, " of MB");
    if (is("seed")) run.seed = number_of(word, 0, std::numeric_limits<std::uint64_t>::max());
    if (is("engine")) run.engine = engine_of(word);
    if (is("inject")) run.injections.push_back(injection_of(word));
    if (is("fail-on")) add_limits(run.limits, word);
    if (is("status")) run.status = parse_status_address(word.value);
    if (is("resume")) run.job = sim::Job::resume;
    if (is("ephemeral")) run.ephemeral = true;
    if (is("overwrite-foreign-files")) run.overwrite_foreign_files = true;
    if (is("no-progress")) run.no_progress = true;
    if (is("quiet")) run.quiet = true;
}

Switches run_switches() {
    static const std::vector<Switch> table = [] {
        std::vector<Switch> switches(kOwnSwitches.begin(), kOwnSwitches.end());
        const auto witness = std::find_if(switches.begin(), switches.end(), [](const Switch& entry) { return entry.name == "witness"; });
        const auto behind_keys =
            switches.insert(witness + 1, tls_switches().begin(), tls_switches().end()) + static_cast<std::ptrdiff_t>(tls_switches().size());
        switches.insert(behind_keys, group_switches().begin(), group_switches().end());
        return switches;
    }();
    return table;
}

void check_keepers(const RunArguments& run) {
    if (!run.ledger_path.empty() && run.witness) throw UsageError("--ledger and --witness: one of them, not both");
    if (run.witness && !run.witness_keys.are_given()) {
        throw UsageError("--witness: needs --key-file FILE, the same as the witness has, or --cert, --cert-key and --ca");
    }
    if (!run.witness && run.witness_keys.are_given())
        throw UsageError("--key-file, --cert, --cert-key and --ca are for --witness ADDR:PORT");
}

namespace {

void check_group(const RunArguments& run) {
    if (!run.group.are_given()) return;
    const GroupSettings settings = group_settings(run.group, [](const char* name) -> const char* { return std::getenv(name); });
    if (!run.witness) throw UsageError("--group: needs --witness ADDR:PORT, by which the runs find each other");
    if (settings.is_readers()) {
        if (run.job == sim::Job::resume) throw UsageError("--resume: not with --plan readers, whose owner makes the files");
        if (run.ephemeral) throw UsageError("--ephemeral: would take the files away from the readers of --plan readers");
    }
    if (!settings.is_hand_over()) return;
    if (run.job == sim::Job::resume)
        throw UsageError("--resume: not needed with --plan hand-over, in which every turn but the first resumes by itself");
    if (run.ephemeral) throw UsageError("--ephemeral: would take the files away from the next owner of --plan hand-over");
}

}  // namespace

RunArguments parse_run(const std::vector<std::string>& words) {
    RunArguments run;
    const SwitchWords typed = parse_words(run_switches(), words);
    if (!typed.operands.empty()) {
        const std::string& word = typed.operands.front();
        throw UsageError(fmt::format("'{}' is not a switch; a folder for the files is named with -dir {}", word, word));
    }
    for (const SwitchWord& word : typed.switches) set_run_value(run, word);
    check_keepers(run);
    check_group(run);
    return run;
}

std::string repeat_command(const std::vector<std::string>& command_line, std::uint64_t seed) {
    std::string command;
    bool skip_value = false;
    for (std::size_t i = 0; i < command_line.size(); ++i) {
        if (skip_value) {
            skip_value = false;
            continue;
        }
        const Switch* entry = i == 0 ? nullptr : find_switch(run_switches(), command_line[i]);
        if (entry != nullptr && entry->name == "seed") {
            skip_value = command_line[i].find('=') == std::string::npos;
            continue;
        }
        command += shell_quoted(command_line[i]) + " ";
    }
    return fmt::format("{}--seed {}", command, seed);
}

}  // namespace cli
