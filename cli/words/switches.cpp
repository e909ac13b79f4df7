#include "cli/words/switches.hpp"

#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/words/commands.hpp"
#include "config/parameter_table.hpp"
#include "ums/base/edit_distance.hpp"

namespace cli {
namespace {

constexpr std::size_t kTokenLengthMax = 64;  // no switch is that long

std::string_view name_part(std::string_view token) { return token.substr(0, token.find('=')); }

int first_letter(std::string_view spelling) {
    const std::size_t letter = spelling.find_first_not_of('-');
    return letter == std::string_view::npos ? 0 : std::tolower(static_cast<unsigned char>(spelling[letter]));
}

std::string closest_spelling(Switches table, std::string_view token) {
    std::string best;
    if (token.size() > kTokenLengthMax) return best;
    std::size_t best_distance = 3;  // with more than two wrong letters it is another word
    for (const Switch& entry : table) {
        for (const std::string& spelling : spellings_of(entry)) {
            const std::size_t distance = ums::edit_distance(token, spelling);
            // Short words resemble everything, except in another case (-D), and the first letter is seldom the wrong one.
            if (first_letter(token) == first_letter(spelling) && distance < best_distance && distance * 2 <= spelling.size() &&
                (spelling.size() > 3 || distance == 0)) {
                best_distance = distance;
                best = spelling;
            }
        }
    }
    return best;
}

// "ioproof verify, ioproof bench"; empty if none has it.
std::string commands_with(std::string_view token) {
    std::vector<std::string> names;
    for (const Command& command : commands()) {
        if (find_switch(command.switches, token) != nullptr) names.push_back(fmt::format("ioproof {}", command.name));
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

// SQLIOSim's words with one dash may be written in any case, as on Windows. Letters may not: -d and -D can be two switches.
bool is_spelled(std::string_view name, std::string_view spelling) {
    const bool is_word = spelling.size() > 2 && spelling[1] != '-';
    return is_word ? config::equal_ignoring_case(name, spelling) : name == spelling;
}

}  // namespace

std::vector<std::string> spellings_of(const Switch& entry) {
    std::vector<std::string> spellings;
    if (!entry.sqliosim.empty()) spellings.push_back(fmt::format("-{}", entry.sqliosim));
    spellings.push_back(fmt::format("--{}", entry.name));
    if (!entry.alias.empty()) spellings.push_back(fmt::format("--{}", entry.alias));
    return spellings;
}

const Switch* find_switch(Switches table, std::string_view token) {
    const std::string_view name = name_part(token);
    for (const Switch& entry : table) {
        for (const std::string& spelling : spellings_of(entry)) {
            if (is_spelled(name, spelling)) return &entry;
        }
    }
    return nullptr;
}

std::string unknown_switch_text(Switches table, std::string_view token) {
    const std::string_view name = name_part(token);
    if (const std::string others = commands_with(name); !others.empty())
        return fmt::format("unknown switch '{}' here; it is one of {}", name, others);
    const std::string closest = closest_spelling(table, name);
    if (!closest.empty()) return fmt::format("unknown switch '{}'; did you mean {}?", name, closest);
    std::vector<std::string> all;
    for (const Switch& entry : table) all.push_back(spellings_of(entry).front());
    if (all.empty()) return fmt::format("unknown switch '{}'; there are none here", name);
    return fmt::format("unknown switch '{}'; allowed are {}", name, fmt::join(all, ", "));
}

}  // namespace cli
