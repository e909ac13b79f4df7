#include "cli/words/shell_quoted.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace cli {
namespace {

bool is_plain(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("-_./=:,+@%").find(c) != std::string_view::npos;
}

}  // namespace

std::string shell_quoted(const std::string& word) {
    if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
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
