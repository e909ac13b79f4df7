// What was typed after a command, taken apart by the command's table of switches. `--name VALUE` and `--name=VALUE` are the same. `run` has
// SQLIOSim's spellings besides, and a parser of its own (switches.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/switches.hpp"

namespace cli {

struct SwitchWord {
    std::string_view name;  // as in the table
    std::string value;      // empty if the switch takes none
};

struct SwitchWords {
    std::vector<SwitchWord> switches;   // in the order typed
    std::vector<std::string> operands;  // all else, "-" included
};

// Throws UsageError for a switch that is not in the table, for one that is given again although it is not repeatable, and for a value that
// is missing, or too much.
SwitchWords take_apart(std::string_view command, std::span<const Switch> table, const std::vector<std::string>& words);

// The value of `word` as a whole number. Throws UsageError if it is none, or not within minimum … maximum.
std::uint64_t number_of(std::string_view command, const SwitchWord& word, std::uint64_t minimum, std::uint64_t maximum);

// "ioproof COMMAND: --NAME: 'VALUE' is not allowed; allowed is ALLOWED"
[[noreturn]] void refuse_value(std::string_view command, const SwitchWord& word, std::string_view allowed);

}  // namespace cli
