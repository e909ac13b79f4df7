// The switches of a run in one table: it feeds the parser, the help, and the messages about mistakes. Each switch of SQLIOSim exists to
// the letter, with its single dash, and as a GNU-style twin.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

struct Switch {
    std::string_view name;        // "config": --config; also the key of the parsed value
    std::string_view alias{};     // "cfg": --cfg; may be empty
    std::string_view sqliosim{};  // "cfg": -cfg, to the letter; or a single letter of ours; may be empty
    std::string_view value{};     // "FILE"; empty for a switch without a value
    bool repeatable = false;
    std::string_view help{};  // lines separated by '\n'
};

std::span<const Switch> run_switches();

// The switch that `token` names ("-cfg", "--cfg", "--config", each also with "=value"), or nullptr.
const Switch* find_switch(std::string_view token);

// Rewrites what a person typed after `run` to what a GNU-style parser understands: "-cfg FILE" becomes "--config=FILE", "-d5" becomes
// "--duration=5". Words that are no switch stay as they are. Throws UsageError for unknown switches and for missing values.
std::vector<std::string> translate_switches(const std::vector<std::string>& typed);

// For messages: how people write it, "-cfg" rather than "--config" where SQLIOSim has it.
std::string spelling_of(const Switch& entry);

// "unknown switch '-dirr'; did you mean -dir? …"
std::string unknown_switch_message(std::string_view token);

}  // namespace cli
