#include "cli/words/switch_words.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <deque>
#include <limits>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/process/exit_codes.hpp"
#include "ums/base/whole_number.hpp"

namespace cli {
namespace {

// What CLI11 found for one entry of the table.
struct Taken {
    const Switch* entry = nullptr;
    CLI::Option* option = nullptr;
    std::vector<std::string> values{};
};

[[noreturn]] void refuse_missing(const Switch& entry, std::string_view spelling) {
    throw UsageError(fmt::format("{}: a value is missing; write {} {}", spelling, spelling, entry.value));
}

// "-d5": a switch of one letter with its number attached.
const Switch* with_number_attached(Switches table, std::string_view token) {
    if (token.size() < 3 || token[0] != '-' || std::isdigit(static_cast<unsigned char>(token[2])) == 0) return nullptr;
    const Switch* const entry = find_switch(table, token.substr(0, 2));
    return entry != nullptr && !entry->value.empty() ? entry : nullptr;
}

// The one spelling that CLI11 knows: "-cfg=FILE" becomes "--config=FILE". Other words stay as they are.
std::string in_first_spelling(Switches table, const std::string& token) {
    if (const Switch* const entry = find_switch(table, token)) {
        const std::size_t equals = std::min(token.find('='), token.size());
        const std::string_view spelling = std::string_view(token).substr(0, equals);
        const std::string_view rest = std::string_view(token).substr(equals);
        if (entry->value.empty() && !rest.empty()) throw UsageError(fmt::format("{}: takes no value", spelling));
        if (rest == "=") refuse_missing(*entry, spelling);
        return fmt::format("--{}{}", entry->name, rest);
    }
    if (const Switch* const entry = with_number_attached(table, token)) return fmt::format("--{}={}", entry->name, token.substr(2));
    return token;
}

// Unlike CLI11, does not take a switch as the value of another one.
std::vector<std::string> in_first_spellings(Switches table, const std::vector<std::string>& words) {
    std::vector<std::string> uniform;
    const Switch* expects_value = nullptr;
    for (const std::string& word : words) {
        const Switch* const entry = find_switch(table, word);
        if (expects_value != nullptr && entry != nullptr) refuse_missing(*expects_value, spellings_of(*expects_value)[0]);
        uniform.push_back(expects_value != nullptr ? word : in_first_spelling(table, word));
        const bool is_alone = entry != nullptr && !entry->value.empty() && word.find('=') == std::string::npos;
        expects_value = is_alone ? entry : nullptr;
    }
    return uniform;
}

// CLI11 has one error for every wrong number of values; the only one that can occur here is a missing value.
void parse(CLI::App& app, std::vector<std::string> words, const std::deque<Taken>& all) {
    std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
    try {
        app.parse(words);
    } catch (const CLI::ParseError& error) {
        const std::string_view text = error.what();
        for (const Taken& taken : all) {
            if (text.find(taken.option->get_name()) != std::string_view::npos) refuse_missing(*taken.entry, spellings_of(*taken.entry)[0]);
        }
        throw UsageError(error.what());
    }
}

void add(CLI::App& app, Taken& taken) {
    const std::string name = fmt::format("--{}", taken.entry->name);
    if (taken.entry->value.empty()) {
        taken.option = app.add_flag(name);
    } else {
        taken.option = app.add_option(name, taken.values)->allow_extra_args(false);
    }
}

}  // namespace

bool SwitchWords::has(std::string_view name) const {
    return std::any_of(switches.begin(), switches.end(), [&](const SwitchWord& word) { return word.name == name; });
}

SwitchWords parse_words(Switches table, const std::vector<std::string>& words) {
    CLI::App app;
    app.set_help_flag();
    app.allow_extras();
    std::deque<Taken> all;  // a deque, because CLI11 keeps their addresses
    for (const Switch& entry : table) add(app, all.emplace_back(Taken{.entry = &entry}));
    parse(app, in_first_spellings(table, words), all);

    SwitchWords result{.switches = {}, .operands = app.remaining()};
    for (const std::string& word : result.operands) {
        if (word.empty()) throw UsageError("an argument is empty (''); write a name there, or leave it out");
        if (word.size() > 1 && word[0] == '-') throw UsageError(unknown_switch_text(table, word));
    }
    for (Taken& taken : all) {
        const std::size_t count = taken.option->count();
        const std::string spelling = spellings_of(*taken.entry)[0];
        if (count > 1 && !taken.entry->repeatable && !taken.entry->value.empty()) {
            throw UsageError(fmt::format("{}: given {} times; once is allowed", spelling, count));
        }
        if (taken.entry->value.empty() && count > 0) taken.values = {""};
        for (std::string& value : taken.values) {
            if (value.empty() && !taken.entry->value.empty()) refuse_missing(*taken.entry, spelling);
            result.switches.push_back({.name = taken.entry->name, .spelling = spelling, .value = std::move(value)});
        }
    }
    return result;
}

std::uint64_t number_of(const SwitchWord& word, std::uint64_t minimum, std::uint64_t maximum, std::string_view unit) {
    const auto value = ums::whole_number<std::uint64_t>(word.value);
    if (value && *value >= minimum && *value <= maximum) return *value;
    refuse_value(word, fmt::format("a whole number{} from {} to {}", unit, minimum, maximum));
}

void refuse_value(const SwitchWord& word, std::string_view allowed) {
    throw UsageError(fmt::format("{}: '{}' is not allowed; allowed is {}", word.spelling, word.value, allowed));
}

std::optional<std::uint64_t> parse_byte_size(std::string_view text) {
    constexpr std::string_view kUnits = "KMGT";
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{}) return std::nullopt;
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (unit.empty()) return value;
    const std::size_t power = kUnits.find(unit.front() >= 'a' ? static_cast<char>(unit.front() - 'a' + 'A') : unit.front());
    if (unit.size() > 1 || power == std::string_view::npos) return std::nullopt;
    const std::uint64_t factor = std::uint64_t{1} << 10 * (power + 1);
    if (value > std::numeric_limits<std::uint64_t>::max() / factor) return std::nullopt;
    return value * factor;
}

std::vector<std::string_view> list_parts(std::string_view list) {
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        parts.push_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

}  // namespace cli
