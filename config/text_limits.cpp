#include "config/text_limits.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "config/problems.hpp"
#include "config/raw_config.hpp"

namespace config {
namespace {

// The longest file name has 4 KB.
constexpr std::size_t kLineBytesMax = 16UL * 1024;
// Up to 4095 files may be named.
constexpr std::size_t kSectionsMax = 10'000;
constexpr std::size_t kKeysMax = 100'000;

// Dots in a key plus the brackets around it; configurations have two levels.
constexpr std::size_t kLevelsMax = 64;

// Knows just enough of TOML to skip strings and comments.
class TomlScanner {
public:
    TomlScanner(std::string_view text, const std::string& file_name) : rest_(text), limits_(file_name) {}

    void scan() {
        limits_.begin_line(rest_);
        while (!rest_.empty()) {
            const char c = rest_.front();
            if (c == '"' || c == '\'') {
                skip_string(c);
            } else if (c == '#') {
                rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
            } else {
                take(c);
            }
        }
    }

private:
    void take(char c) {
        rest_.remove_prefix(1);
        if (c == '\n') {
            limits_.begin_line(rest_);
            dots_ = 0;
        } else if (c == '=') {
            limits_.count_key();
        } else if (c == '.') {
            ++dots_;
        } else if (c == '[' || c == '{') {
            if (brackets_++ == 0 && c == '[') limits_.count_section();
        } else if ((c == ']' || c == '}') && brackets_ > 0) {
            --brackets_;
        }
        if (brackets_ + dots_ > kLevelsMax) limits_.refuse("nested too deeply: a configuration has keys in tables, and nothing deeper");
    }

    void skip_string(char quote) {
        const std::string fence(3, quote);
        const bool has_lines = rest_.starts_with(fence);
        rest_.remove_prefix(has_lines ? fence.size() : 1);
        while (!rest_.empty()) {
            const char c = rest_.front();
            if (has_lines ? rest_.starts_with(fence) : c == quote) {
                rest_.remove_prefix(has_lines ? fence.size() : 1);
                // Up to two quotes before the closing ones belong to the string.
                for (int i = 0; has_lines && i < 2 && rest_.starts_with(quote); ++i) rest_.remove_prefix(1);
                return;
            }
            if (c == '\n' && !has_lines) return;  // an error, which the parser reports
            const bool is_escape = c == '\\' && quote == '"' && rest_.size() > 1 && rest_[1] != '\n';
            rest_.remove_prefix(is_escape ? 2 : 1);
            if (c == '\n') limits_.begin_line(rest_);
        }
    }

    std::string_view rest_;
    TextLimits limits_;
    std::size_t brackets_ = 0;
    std::size_t dots_ = 0;
};

}  // namespace

void TextLimits::begin_line(std::string_view rest) {
    ++line_;
    const std::size_t end = rest.substr(0, kLineBytesMax + 1).find_first_of("\r\n");
    if (end == std::string_view::npos && rest.size() > kLineBytesMax) {
        refuse(fmt::format("the line has more than {} bytes; is it a configuration file?", kLineBytesMax));
    }
}

void TextLimits::count_section() {
    if (++sections_ > kSectionsMax) refuse(fmt::format("there are more than {} sections; is it a configuration file?", kSectionsMax));
}

void TextLimits::count_key() {
    if (++keys_ > kKeysMax) refuse(fmt::format("there are more than {} keys; is it a configuration file?", kKeysMax));
}

void TextLimits::refuse(std::string_view what) const { throw ConfigError(fmt::format("{}: {}", describe(file_name_, {line_, 0}), what)); }

void refuse_excessive_toml(std::string_view text, const std::string& file_name) { TomlScanner(text, file_name).scan(); }

}  // namespace config
