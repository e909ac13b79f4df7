#include "cli/arguments.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <limits>
#include <map>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/help_text.hpp"
#include "cli/manual.hpp"
#include "cli/switches.hpp"
#include "cli/usage_error.hpp"

namespace cli {
namespace {

// Rare enough that a long run is not drowned in findings.
constexpr double kInjectionRate = 1e-5;

// What the parser found, by the switches' names: values in the order given, and how often each flag was given.
struct Raw {
    std::map<std::string, std::vector<std::string>, std::less<>> values;
    std::map<std::string, bool, std::less<>> flags;
};

void add_run_switches(CLI::App& app, Raw& raw) {
    for (const Switch& entry : run_switches()) {
        const std::string option = fmt::format("--{}", entry.name);
        if (entry.value.empty()) {
            app.add_flag(option, raw.flags[std::string(entry.name)]);
        } else {
            // One value per occurrence; how many occurrences are allowed is checked with a better message than the parser's.
            app.add_option(option, raw.values[std::string(entry.name)])->allow_extra_args(false);
        }
    }
}

std::string spelling_of(std::string_view name) { return cli::spelling_of(*find_switch(fmt::format("--{}", name))); }

std::optional<std::string> single(const Raw& raw, std::string_view name) {
    const auto found = raw.values.find(name);
    if (found == raw.values.end() || found->second.empty()) return std::nullopt;
    if (found->second.size() > 1)
        throw UsageError(fmt::format("{}: given {} times; once is allowed", spelling_of(name), found->second.size()));
    return found->second.front();
}

std::optional<std::uint64_t> number(const Raw& raw, std::string_view name, std::uint64_t minimum, std::uint64_t maximum,
                                    std::string_view unit) {
    const auto text = single(raw, name);
    if (!text) return std::nullopt;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error == std::errc{} && end == text->data() + text->size() && value >= minimum && value <= maximum) return value;
    throw UsageError(fmt::format("{}: '{}' is not allowed; allowed is a whole number{} from {} to {}", spelling_of(name), *text, unit,
                                 minimum, maximum));
}

sim::EngineChoice engine_choice(const Raw& raw) {
    const std::string name = single(raw, "engine").value_or("auto");
    if (name == "auto") return sim::EngineChoice::automatic;
    if (name == "uring") return sim::EngineChoice::uring;
    if (name == "threads") return sim::EngineChoice::threads;
    throw UsageError(fmt::format("--engine: '{}' is not allowed; allowed are uring, threads, auto", name));
}

std::vector<sim::FaultPlan> injections(const Raw& raw) {
    std::vector<sim::FaultPlan> plans;
    for (const std::string& text : raw.values.at("inject")) {
        std::string problem;
        const auto plan = sim::parse_fault_plan(text, kInjectionRate, problem);
        if (!plan) throw UsageError(fmt::format("--inject: {}", problem));
        plans.push_back(*plan);
    }
    return plans;
}

RunArguments to_run_arguments(const Raw& raw) {
    // A year and 32 TB: more is a slip of the finger.
    constexpr std::uint64_t kDurationSMax = 366ULL * 24 * 3600;
    constexpr std::uint64_t kSizeMbMax = 32ULL * 1024 * 1024;
    RunArguments run;
    run.config_path = single(raw, "config").value_or("");
    run.save_path = single(raw, "save").value_or("");
    run.log_path = single(raw, "log").value_or("");
    run.findings_path = single(raw, "findings").value_or("");
    run.json_path = single(raw, "json").value_or("");
    run.html_path = single(raw, "html").value_or("");
    run.directories = raw.values.at("dir");
    run.duration_s = number(raw, "duration", 1, kDurationSMax, " of seconds");
    run.size_mb = number(raw, "size", 1, kSizeMbMax, " of MB");
    run.seed = number(raw, "seed", 0, std::numeric_limits<std::uint64_t>::max(), "");
    run.engine = engine_choice(raw);
    run.injections = injections(raw);
    if (const auto status = single(raw, "status")) run.status = parse_status_address(*status);
    run.ephemeral = raw.flags.at("ephemeral");
    run.overwrite_foreign_files = raw.flags.at("overwrite-foreign-files");
    run.no_progress = raw.flags.at("no-progress");
    run.quiet = raw.flags.at("quiet");
    return run;
}

bool asks_for_help(const std::vector<std::string>& words) {
    return std::any_of(words.begin(), words.end(),
                       [](const std::string& word) { return word == "-h" || word == "--help" || word == "-?"; });
}

RunArguments parse_run(const std::vector<std::string>& typed) {
    CLI::App app;
    app.set_help_flag();
    app.allow_extras();
    Raw raw;
    add_run_switches(app, raw);
    std::vector<std::string> words = translate_switches(typed);
    std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
    try {
        app.parse(words);
    } catch (const CLI::ParseError& error) {
        throw UsageError(error.what());
    }
    const std::vector<std::string> left = app.remaining();
    if (!left.empty())
        throw UsageError(fmt::format("'{}' is not a switch; a folder for the files is named with -dir {}", left[0], left[0]));
    return to_run_arguments(raw);
}

Arguments parse_config_command(const std::vector<std::string>& words) {
    Arguments arguments;
    const std::string verb = words.empty() ? "" : words[0];
    if (verb == "show") {
        arguments.action = Action::show_config;
        arguments.run = parse_run({words.begin() + 1, words.end()});
        return arguments;
    }
    if (verb == "explain") {
        if (words.size() > 2) throw UsageError("ioproof config explain: takes one name of a parameter, or none for all");
        arguments.action = Action::explain_parameter;
        arguments.parameter = words.size() == 2 ? words[1] : "";
        return arguments;
    }
    if (verb.empty()) throw UsageError("ioproof config: say what: 'ioproof config explain [NAME]' or 'ioproof config show [SWITCHES]'");
    throw UsageError(fmt::format("ioproof config: '{}' is not allowed; allowed are explain, show", verb));
}

Arguments text_for(Action action, std::string text) {
    Arguments arguments;
    arguments.action = action;
    arguments.text = std::move(text);
    return arguments;
}

Arguments parse_sqliosim(const std::vector<std::string>& words) {
    Arguments arguments;
    if (asks_for_help(words) || (words.size() == 1 && words[0] == "/?")) {
        arguments = text_for(Action::print_help, sqliosim_help_text());
    } else if (words.size() == 1 && words[0] == "--version") {
        arguments = text_for(Action::print_version, version_text());
    } else {
        arguments.run = parse_run(words);
    }
    arguments.called_as_sqliosim = true;
    return arguments;
}

bool is_plain(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("-_./=:,+@%").find(c) != std::string_view::npos;
}

std::string shell_quoted(const std::string& word) {
    if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
    std::string quoted = "'";
    for (const char c : word) {
        if (c == '\'') {
            quoted += "'\\''";
        } else {
            quoted += c;
        }
    }
    return quoted + "'";
}

}  // namespace

bool is_sqliosim_name(const std::string& program_path) {
    std::string name = program_path.substr(program_path.find_last_of('/') + 1);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name == "sqliosim" || name == "sqliosim.com" || name == "sqliosim.exe";
}

Arguments parse_arguments(const std::vector<std::string>& command_line) {
    if (command_line.empty()) throw UsageError("no program name given");
    const std::vector<std::string> words(command_line.begin() + 1, command_line.end());
    if (is_sqliosim_name(command_line[0])) return parse_sqliosim(words);
    if (words.empty()) throw UsageError("say what to do: 'ioproof run -dir DIR', or 'ioproof --help'");

    const std::vector<std::string> rest(words.begin() + 1, words.end());
    const std::string& verb = words[0];
    if (verb == "run") {
        if (asks_for_help(rest)) return text_for(Action::print_help, run_help_text());
        Arguments arguments;
        arguments.run = parse_run(rest);
        return arguments;
    }
    if (verb == "bench") {
        if (asks_for_help(rest)) return text_for(Action::print_help, bench_help_text());
        Arguments arguments;
        arguments.action = Action::bench;
        arguments.bench = parse_bench(rest);
        return arguments;
    }
    if (verb == "report" || verb == "compare") {
        const bool is_report = verb == "report";
        if (asks_for_help(rest)) return text_for(Action::print_help, is_report ? report_help_text() : compare_help_text());
        Arguments arguments;
        arguments.action = is_report ? Action::report : Action::compare;
        arguments.report = parse_report(verb, is_report ? 1 : 2, rest);
        return arguments;
    }
    if (verb == "preflight") {
        if (asks_for_help(rest)) return text_for(Action::print_help, preflight_help_text());
        Arguments arguments;
        arguments.action = Action::preflight;
        arguments.preflight = parse_preflight(rest);
        return arguments;
    }
    if (verb == "config") {
        if (asks_for_help(rest)) return text_for(Action::print_help, config_help_text());
        return parse_config_command(rest);
    }
    if (verb == "rehearse") {
        if (asks_for_help(rest)) return text_for(Action::print_help, rehearse_help_text());
        Arguments arguments;
        arguments.action = Action::rehearse;
        arguments.rehearse = parse_rehearse(rest);
        return arguments;
    }
    if (verb == "--version" || verb == "-V") return text_for(Action::print_version, version_text());
    // For the build: manual pages and completions are made by the program itself.
    if (verb == "--generate") return text_for(Action::print_help, generated_text(rest.empty() ? "" : rest[0]));
    if (verb == "help" || asks_for_help({verb})) return text_for(Action::print_help, help_text());
    if (find_switch(verb) != nullptr) throw UsageError(fmt::format("{}: belongs to a command; write 'ioproof run {} …'", verb, verb));
    throw UsageError(
        fmt::format("unknown command '{}'; allowed are run, preflight, report, compare, bench, rehearse, config, --help, --version", verb));
}

std::string repeat_command(const std::vector<std::string>& command_line, std::uint64_t seed) {
    std::string command;
    bool skip_value = false;
    for (std::size_t i = 0; i < command_line.size(); ++i) {
        if (skip_value) {
            skip_value = false;
            continue;
        }
        const Switch* entry = i == 0 ? nullptr : find_switch(command_line[i]);
        if (entry != nullptr && entry->name == "seed") {
            skip_value = command_line[i].find('=') == std::string::npos;
            continue;
        }
        command += shell_quoted(command_line[i]) + " ";
    }
    return fmt::format("{}--seed {}", command, seed);
}

}  // namespace cli
