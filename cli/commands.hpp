// The commands in one table: it feeds the help, the manual page and the completions of shells.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cli/switches.hpp"

namespace cli {

enum class Operand : std::uint8_t { none, folders, files, parameter };  // what completions propose besides switches

struct Command {
    std::string_view name;      // "run", "config show"
    std::string_view operands;  // "DIR…", "FILE…", "[NAME]"; empty = none
    Operand kind = Operand::none;
    std::string_view summary;      // some words
    std::string_view description;  // paragraphs, separated by '\n'
    std::span<const Switch> switches{};
    std::string_view examples{};    // command lines, separated by '\n'
    std::string_view exit_codes{};  // where they differ from a run's; lines "CODE meaning"
};

const std::vector<Command>& commands();

}  // namespace cli
