// The words after a command, parsed by the command's table of switches. `--name VALUE` and `--name=VALUE` are the same, and so are
// SQLIOSim's spellings where the table has them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/words/switches.hpp"
#include "sim/options.hpp"

namespace cli {

// One switch and its value.
struct SwitchWord {
    std::string_view name;  // as in the table
    std::string spelling;   // as users write it: "-cfg" rather than "--config" where SQLIOSim has it
    std::string value;      // empty if the switch takes none
};

struct SwitchWords {
    std::vector<SwitchWord> switches;   // in the order of the table; a repeatable one in the order typed
    std::vector<std::string> operands;  // everything else, including "-"

    [[nodiscard]] bool has(std::string_view name) const;
};

// Throws UsageError for a switch that is not in the table, for one that is repeated although it must not be, and for a value that is
// missing or superfluous.
SwitchWords parse_words(Switches table, const std::vector<std::string>& words);

// The value of `word` as a whole number. Throws UsageError if it is not one, or not within minimum … maximum. `unit`: " of seconds", or
// empty.
std::uint64_t number_of(const SwitchWord& word, std::uint64_t minimum, std::uint64_t maximum, std::string_view unit = {});

// "--NAME: 'VALUE' is not allowed; allowed is ALLOWED"
[[noreturn]] void refuse_value(const SwitchWord& word, std::string_view allowed);

// A size as users write it: "512", "8K", "1M", "2G", "1T"; units are powers of 1024. Empty if `text` is not such a size, or does not fit.
std::optional<std::uint64_t> parse_byte_size(std::string_view text);

// The parts of a list, which commas separate; empty ones are included. They are views of `list`.
[[nodiscard]] std::vector<std::string_view> list_parts(std::string_view list);

// The values of --engine, shared by all commands that have it.
struct EngineWord {
    std::string_view word;
    sim::EngineChoice choice;
};

inline constexpr std::array kEngineWords{
    EngineWord{"uring", sim::EngineChoice::uring},
    EngineWord{"threads", sim::EngineChoice::threads},
    EngineWord{"auto", sim::EngineChoice::automatic},
};
inline constexpr std::string_view kEngineWordsText = "uring, threads or auto";

constexpr std::optional<sim::EngineChoice> engine_named(std::string_view word) {
    for (const EngineWord& entry : kEngineWords) {
        if (entry.word == word) return entry.choice;
    }
    return std::nullopt;
}

}  // namespace cli
