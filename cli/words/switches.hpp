// What a switch is and how it is written. A table of switches feeds the parser, the help, the manual page, the shell completions and the
// error messages.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

struct Switch {
    std::string_view name;        // "config": --config; also the key of the parsed value
    std::string_view alias{};     // "cfg": --cfg; may be empty
    std::string_view sqliosim{};  // "cfg": -cfg, in any case; or a single letter, also of ours, to the letter; may be empty
    std::string_view value{};     // "FILE"; empty for a switch without a value
    bool repeatable = false;
    std::string_view help{};  // lines separated by '\n'
};

using Switches = std::span<const Switch>;

// "-cfg", "--config", "--cfg". The first is the one that users write: SQLIOSim's where there is one.
std::vector<std::string> spellings_of(const Switch& entry);

// The switch that `token` names ("-cfg", "-CFG", "--cfg", "--config", each also with "=value"), or nullptr.
const Switch* find_switch(Switches table, std::string_view token);

// "unknown switch '-dirr'; did you mean -dir?", or the allowed ones.
std::string unknown_switch_text(Switches table, std::string_view token);

}  // namespace cli
