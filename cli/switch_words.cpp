#include "cli/switch_words.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "cli/usage_error.hpp"

namespace cli {
namespace {

[[noreturn]] void refuse(std::string_view command, std::string_view text) {
    throw UsageError(fmt::format("ioproof {}: {}", command, text));
}

std::string all_switches(std::span<const Switch> table) {
    std::string text;
    for (const Switch& entry : table) {
        text += fmt::format("{}--{}{}{}", text.empty() ? "" : ", ", entry.name, entry.value.empty() ? "" : " ", entry.value);
    }
    return text;
}

const Switch& entry_of(std::string_view command, std::span<const Switch> table, const std::string& word) {
    const std::string_view name = std::string_view(word).substr(0, word.find('='));
    const auto entry = std::find_if(table.begin(), table.end(), [&](const Switch& one) { return name == fmt::format("--{}", one.name); });
    if (entry == table.end()) refuse(command, fmt::format("unknown switch '{}'; allowed are {}", name, all_switches(table)));
    return *entry;
}

// The value, which may be the next word.
std::string value_of(std::string_view command, const Switch& entry, const std::vector<std::string>& words, std::size_t& index) {
    const std::string& word = words[index];
    const std::size_t equals = word.find('=');
    if (entry.value.empty()) {
        if (equals != std::string::npos) refuse(command, fmt::format("--{}: takes no value", entry.name));
        return {};
    }
    std::string value;
    if (equals != std::string::npos) {
        value = word.substr(equals + 1);
    } else if (index + 1 < words.size()) {
        value = words[++index];
    }
    if (value.empty()) refuse(command, fmt::format("--{}: a value is missing; write --{} {}", entry.name, entry.name, entry.value));
    return value;
}

}  // namespace

SwitchWords take_apart(std::string_view command, std::span<const Switch> table, const std::vector<std::string>& words) {
    SwitchWords result;
    for (std::size_t index = 0; index < words.size(); ++index) {
        const std::string& word = words[index];
        if (word.size() < 2 || word[0] != '-') {
            result.operands.push_back(word);
            continue;
        }
        const Switch& entry = entry_of(command, table, word);
        const bool is_again = std::any_of(result.switches.begin(), result.switches.end(),
                                          [&](const SwitchWord& earlier) { return earlier.name == entry.name; });
        if (is_again && !entry.repeatable) refuse(command, fmt::format("--{}: given twice; once is allowed", entry.name));
        result.switches.push_back({entry.name, value_of(command, entry, words, index)});
    }
    return result;
}

std::uint64_t number_of(std::string_view command, const SwitchWord& word, std::uint64_t minimum, std::uint64_t maximum) {
    std::uint64_t value = 0;
    const char* const last = word.value.data() + word.value.size();
    const auto [end, error] = std::from_chars(word.value.data(), last, value);
    if (error == std::errc{} && end == last && value >= minimum && value <= maximum) return value;
    refuse_value(command, word, fmt::format("a whole number from {} to {}", minimum, maximum));
}

void refuse_value(std::string_view command, const SwitchWord& word, std::string_view allowed) {
    refuse(command, fmt::format("--{}: '{}' is not allowed; allowed is {}", word.name, word.value, allowed));
}

}  // namespace cli
