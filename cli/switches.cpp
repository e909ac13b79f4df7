#include "cli/switches.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "cli/usage_error.hpp"

namespace cli {
namespace {

constexpr std::array kRunSwitches{
    Switch{.name = "config",
           .alias = "cfg",
           .sqliosim = "cfg",
           .value = "FILE",
           .help = "configuration: SQLIOSim's INI, or TOML if the name ends in .toml\n"
                   "(default: sqliosim.cfg.ini of the current folder, if there is one)"},
    Switch{.name = "save",
           .sqliosim = "save",
           .value = "FILE",
           .help = "write the resulting configuration (defaults, file, switches), then run;\n"
                   "without any file named it is written all the same, to be completed"},
    Switch{
        .name = "log", .sqliosim = "log", .value = "FILE", .help = "XML log (default: ErrorFile of the configuration, sqliosim.log.xml)"},
    Switch{.name = "findings",
           .value = "FILE",
           .help = "write each finding, the moment it is made, as a line of JSON (docs/findings_format.md)\n"
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
    Switch{
        .name = "duration", .sqliosim = "d", .value = "SECONDS", .help = "length of the main run; preparation and final audit come on top"},
    Switch{.name = "size",
           .sqliosim = "size",
           .value = "MB",
           .help = "initial size of a data file; it may grow to twice that.\nThe log file gets half of it, at most 50 MB"},
    Switch{.name = "seed", .value = "N", .help = "repeat the random choices of an earlier run, which printed this number"},
    Switch{.name = "engine", .value = "NAME", .help = "uring, threads, or auto (default): io_uring where the kernel allows it"},
    Switch{.name = "inject",
           .value = "CLASS:RATE",
           .repeatable = true,
           .help = "REHEARSAL: inject faults of this class (docs/fault_model.md) into what is read, with\n"
                   "this chance for each page, to see that they are found; may be repeated. Every\n"
                   "report says that it was a rehearsal"},
    Switch{.name = "ephemeral", .help = "delete the files at the end of the run"},
    Switch{.name = "overwrite-foreign-files",
           .help = "DANGER. Also write to files that ioproof did not make, to *.mdf, *.ndf,\n"
                   "*.ldf and to block devices. Whatever they hold (databases, file systems)\nis destroyed for good"},
    Switch{.name = "status",
           .value = "[ADDR:]PORT",
           .help = "serve a live view by HTTP: a page, /status.json, and /metrics for Prometheus.\n"
                   "Without ADDR for this machine only; port 0: any free one"},
    Switch{.name = "no-progress", .help = "no progress display"},
    Switch{.name = "quiet", .sqliosim = "q", .help = "only errors and the final report"},
};

bool takes_value(const Switch& entry) { return !entry.value.empty(); }

std::string_view name_part(std::string_view token) { return token.substr(0, token.find('=')); }

// "-d5": SQLIOSim's one-letter switch with its value attached.
std::optional<std::string> attached_duration(std::string_view token) {
    if (token.size() < 3 || token.substr(0, 2) != "-d" || std::isdigit(static_cast<unsigned char>(token[2])) == 0) return std::nullopt;
    return std::string(token.substr(2));
}

bool looks_like_a_switch(std::string_view token) { return token.size() > 1 && token[0] == '-'; }

std::string missing_value_message(std::string_view token, const Switch& entry) {
    return fmt::format("{}: a value is missing; write {} {}", token, token, entry.value);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substitution = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitution});
        }
    }
    return row[b.size()];
}

std::vector<std::string> spellings_of(const Switch& entry) {
    std::vector<std::string> spellings;
    if (!entry.sqliosim.empty()) spellings.push_back(fmt::format("-{}", entry.sqliosim));
    spellings.push_back(fmt::format("--{}", entry.name));
    if (!entry.alias.empty()) spellings.push_back(fmt::format("--{}", entry.alias));
    return spellings;
}

std::string closest_spelling(std::string_view token) {
    std::string lower(token);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    std::string best;
    std::size_t best_distance = 3;  // more than two wrong letters is another word
    for (const Switch& entry : kRunSwitches) {
        for (const std::string& spelling : spellings_of(entry)) {
            const std::size_t distance = edit_distance(lower, spelling);
            // Short words are like everything.
            if (distance < best_distance && distance * 2 <= spelling.size() && spelling.size() > 3) {
                best_distance = distance;
                best = spelling;
            }
        }
    }
    return best;
}

}  // namespace

std::span<const Switch> run_switches() { return kRunSwitches; }

const Switch* find_switch(std::string_view token) {
    const std::string_view name = name_part(token);
    for (const Switch& entry : kRunSwitches) {
        for (const std::string& spelling : spellings_of(entry)) {
            if (name == spelling) return &entry;
        }
    }
    return nullptr;
}

std::vector<std::string> translate_switches(const std::vector<std::string>& typed) {
    std::vector<std::string> translated;
    for (std::size_t i = 0; i < typed.size(); ++i) {
        const std::string& token = typed[i];
        const Switch* entry = find_switch(token);
        if (entry == nullptr) {
            if (const auto duration = attached_duration(token)) {
                translated.push_back(fmt::format("--duration={}", *duration));
            } else if (looks_like_a_switch(token) && token != "-h" && token != "--help") {
                throw UsageError(unknown_switch_message(token));
            } else {
                translated.push_back(token);
            }
            continue;
        }
        const std::size_t equals = token.find('=');
        if (!takes_value(*entry)) {
            if (equals != std::string::npos) throw UsageError(fmt::format("{}: takes no value", name_part(token)));
            translated.push_back(fmt::format("--{}", entry->name));
            continue;
        }
        std::string value;
        if (equals != std::string::npos) {
            value = token.substr(equals + 1);
        } else if (i + 1 < typed.size() && find_switch(typed[i + 1]) == nullptr) {
            value = typed[++i];
        }
        if (value.empty()) throw UsageError(missing_value_message(name_part(token), *entry));
        translated.push_back(fmt::format("--{}={}", entry->name, value));
    }
    return translated;
}

std::string spelling_of(const Switch& entry) { return spellings_of(entry).front(); }

std::string unknown_switch_message(std::string_view token) {
    const std::string_view name = name_part(token);
    const std::string closest = closest_spelling(name);
    if (!closest.empty()) return fmt::format("unknown switch '{}'; did you mean {}?", name, closest);
    std::vector<std::string> all;
    for (const Switch& entry : kRunSwitches) all.push_back(spelling_of(entry));
    return fmt::format("unknown switch '{}'; allowed are {}", name, fmt::join(all, ", "));
}

}  // namespace cli
