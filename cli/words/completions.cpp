// Shell completions, made from the table of commands. The scripts are self-contained: they do not call the program.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/process/exit_codes.hpp"
#include "cli/words/commands.hpp"
#include "cli/words/manual.hpp"
#include "cli/words/switch_words.hpp"
#include "config/parameter_table.hpp"

namespace cli {
namespace {

std::vector<std::string> parameter_names() {
    std::vector<std::string> names;
    for (const config::Parameter& parameter : config::parameter_table()) names.emplace_back(parameter.ini_name);
    return names;
}

std::vector<std::string> choices_of(const Switch& entry) {
    std::vector<std::string> choices;
    if (entry.name == "engine") {
        for (const EngineWord& engine : kEngineWords) choices.emplace_back(engine.word);
        return choices;
    }
    if (entry.value.find('|') == std::string_view::npos) return choices;
    for (std::string_view rest = entry.value; !rest.empty();) {
        const std::size_t end = std::min(rest.find('|'), rest.size());
        choices.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return choices;
}

std::string one_line(std::string_view help) {
    std::string text(help.substr(0, help.find('\n')));
    std::erase_if(text,
                  [](char c) { return c == '\'' || c == '[' || c == ']' || c == ':' || c == '"' || c == '`' || c == '$' || c == '\\'; });
    return text;
}

// The first words of commands: "config" for "config show" and "config explain".
std::vector<std::string> first_words() {
    std::vector<std::string> words;
    for (const Command& command : commands()) {
        std::string word(command.name.substr(0, command.name.find(' ')));
        if (words.empty() || words.back() != word) words.push_back(std::move(word));
    }
    return words;
}

// --- bash ---------------------------------------------------------------------------------------------------------------------------

// bash itself completes names of files: words from compgen are split at blanks, and lack what the user has quoted.
std::string bash_value_cases(const Command& command) {
    std::string cases;
    for (const Switch& entry : command.switches) {
        if (entry.value.empty()) continue;
        const std::vector<std::string> choices = choices_of(entry);
        std::string action = "return";
        if (!choices.empty()) {
            action = fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$current\")); return", fmt::join(choices, " "));
        } else if (entry.value == "FILE") {
            action = "compopt -o default; return";
        } else if (entry.value == "DIR") {
            action = "compopt -o dirnames; return";
        }
        cases += fmt::format("                {}) {} ;;\n", fmt::join(spellings_of(entry), " | "), action);
    }
    return cases.empty() ? cases : fmt::format("            case $previous in\n{}            esac\n", cases);
}

std::string bash_operands(const Command& command) {
    switch (command.kind) {
        case Operand::folders: return "            [[ $current == -* ]] || { COMPREPLY=(); compopt -o dirnames; }\n";
        case Operand::files: return "            [[ $current == -* ]] || { COMPREPLY=(); compopt -o default; }\n";
        case Operand::parameter:
            return fmt::format("            COMPREPLY+=($(compgen -W '{}' -- \"$current\"))\n", fmt::join(parameter_names(), " "));
        case Operand::none: break;
    }
    return {};
}

std::string bash_case(const Command& command, std::string_view pattern) {
    std::vector<std::string> switches;
    for (const Switch& entry : command.switches) {
        for (std::string& word : spellings_of(entry)) switches.push_back(std::move(word));
    }
    switches.emplace_back("--help");
    return fmt::format("        {})\n{}            COMPREPLY=($(compgen -W '{}' -- \"$current\"))\n{}            ;;\n", pattern,
                       bash_value_cases(command), fmt::join(switches, " "), bash_operands(command));
}

std::string bash_script() {
    std::string text = fmt::format(
        "# bash completion for ioproof and sqliosim\n"
        "_ioproof() {{\n"
        "    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}}\n"
        "    COMPREPLY=()\n"
        "    if [[ ${{COMP_WORDS[0]##*/}} == sqliosim* ]]; then command=run\n"
        "    elif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "        COMPREPLY=($(compgen -W '{} --help --version' -- \"$current\"))\n"
        "        return\n"
        "    elif [ \"$command\" = config ]; then\n"
        "        if [ \"$COMP_CWORD\" -eq 2 ]; then\n"
        "            COMPREPLY=($(compgen -W 'show explain' -- \"$current\"))\n"
        "            return\n"
        "        fi\n"
        "        command=\"config ${{COMP_WORDS[2]}}\"\n"
        "    fi\n"
        "    case $command in\n",
        fmt::join(first_words(), " "));
    for (const Command& command : commands()) text += bash_case(command, fmt::format("'{}'", command.name));
    return text + "    esac\n}\ncomplete -o filenames -F _ioproof ioproof sqliosim\n";
}

// --- zsh ----------------------------------------------------------------------------------------------------------------------------

std::string zsh_action(const Switch& entry) {
    if (entry.value.empty()) return {};
    const std::vector<std::string> choices = choices_of(entry);
    if (!choices.empty()) return fmt::format(":value:({})", fmt::join(choices, " "));
    if (entry.value == "FILE") return ":file:_files";
    if (entry.value == "DIR") return ":folder:_files -/";
    return ":value: ";
}

std::string zsh_arguments(const Command& command) {
    std::string text = "_arguments";
    for (const Switch& entry : command.switches) {
        for (const std::string& word : spellings_of(entry)) {
            text += fmt::format(" \\\n                '{}{}[{}]{}'", entry.repeatable ? "*" : "", word, one_line(entry.help),
                                zsh_action(entry));
        }
    }
    text += " \\\n                '--help[help]'";
    if (command.kind == Operand::folders) text += " \\\n                '*:folder:_files -/'";
    if (command.kind == Operand::files) text += " \\\n                '*:file:_files'";
    if (command.kind == Operand::parameter)
        text += fmt::format(" \\\n                '1:parameter:({})'", fmt::join(parameter_names(), " "));
    return text;
}

std::string zsh_script() {
    std::string text = fmt::format(
        "#compdef ioproof sqliosim\n"
        "_ioproof() {{\n"
        "    local command=$words[2]\n"
        "    if [[ ${{words[1]:t}} == sqliosim* ]]; then command=run\n"
        "    elif (( CURRENT == 2 )); then\n"
        "        compadd -- {} --help --version\n"
        "        return\n"
        "    else\n"
        "        shift words; (( CURRENT-- ))\n"
        "        if [[ $command == config ]]; then\n"
        "            if (( CURRENT == 2 )); then compadd -- show explain; return; fi\n"
        "            command=\"config $words[2]\"\n"
        "            shift words; (( CURRENT-- ))\n"
        "        fi\n"
        "    fi\n"
        "    case $command in\n",
        fmt::join(first_words(), " "));
    for (const Command& command : commands())
        text += fmt::format("        '{}')\n            {}\n            ;;\n", command.name, zsh_arguments(command));
    return text + "    esac\n}\n_ioproof \"$@\"\n";
}

// --- fish ---------------------------------------------------------------------------------------------------------------------------

std::string fish_switch(const Switch& entry, std::string_view condition) {
    std::string text = fmt::format("complete -c ioproof -n '{}' -l {}", condition, entry.name);
    if (!entry.alias.empty()) text += fmt::format(" -l {}", entry.alias);
    // fish calls a spelling of several letters with one dash an old option.
    if (!entry.sqliosim.empty()) text += fmt::format(" -{} {}", entry.sqliosim.size() == 1 ? "s" : "o", entry.sqliosim);
    const std::vector<std::string> choices = choices_of(entry);
    if (!choices.empty()) {
        text += fmt::format(" -xa '{}'", fmt::join(choices, " "));
    } else if (entry.value == "FILE") {
        text += " -rF";
    } else if (entry.value == "DIR") {
        text += " -xa '(__fish_complete_directories)'";
    } else if (!entry.value.empty()) {
        text += " -x";
    }
    return text + fmt::format(" -d '{}'\n", one_line(entry.help));
}

std::string fish_condition(const Command& command) {
    const std::size_t blank = command.name.find(' ');
    const std::string first = fmt::format("__fish_seen_subcommand_from {}", command.name.substr(0, blank));
    return blank == std::string_view::npos ? first
                                           : fmt::format("{}; and __fish_seen_subcommand_from {}", first, command.name.substr(blank + 1));
}

std::string fish_script() {
    std::string text = "# fish completion for ioproof\ncomplete -c ioproof -f\n";
    for (const std::string& word : first_words()) {
        std::string_view summary = "the configuration";
        for (const Command& command : commands()) {
            if (command.name == word) summary = command.summary;
        }
        text += fmt::format("complete -c ioproof -n __fish_use_subcommand -a {} -d '{}'\n", word, one_line(summary));
    }
    text +=
        "complete -c ioproof -n '__fish_seen_subcommand_from config; and not __fish_seen_subcommand_from show explain' -a 'show explain'\n";
    for (const Command& command : commands()) {
        const std::string condition = fish_condition(command);
        for (const Switch& entry : command.switches) text += fish_switch(entry, condition);
        if (command.kind == Operand::folders)
            text += fmt::format("complete -c ioproof -n '{}' -a '(__fish_complete_directories)'\n", condition);
        if (command.kind == Operand::files) text += fmt::format("complete -c ioproof -n '{}' -F\n", condition);
        if (command.kind == Operand::parameter)
            text += fmt::format("complete -c ioproof -n '{}' -a '{}'\n", condition, fmt::join(parameter_names(), " "));
    }
    return text;
}

}  // namespace

std::string completion_script(std::string_view shell) {
    if (shell == "bash") return bash_script();
    if (shell == "zsh") return zsh_script();
    if (shell == "fish") return fish_script();
    throw UsageError(fmt::format("--generate: '{}' is not allowed; allowed are ioproof.1, ioproof.conf.5, bash, zsh, fish", shell));
}

}  // namespace cli
