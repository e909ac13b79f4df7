#include "cli/words/shell_quoted.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include <fmt/format.h>

#include "ums/base/printable.hpp"

namespace cli {
namespace {

bool is_plain(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("-_./=:,+@%").find(c) != std::string_view::npos;
}

// All bytes that are not plain ASCII by their numbers, which have three digits because a digit may follow.
std::string with_numbers(const std::string& word) {
    std::string quoted = "$'";
    for (const char c : word) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\n') {
            quoted += "\\n";
        } else if (byte < 0x20 || byte >= 0x7f) {
            quoted += fmt::format("\\{:03o}", byte);
        } else {
            if (c == '\'' || c == '\\') quoted += '\\';
            quoted += c;
        }
    }
    return quoted + "'";
}

}  // namespace

std::string shell_quoted(const std::string& word) {
    if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
    if (ums::printable(word) != word) return with_numbers(word);
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

}  // namespace cli
