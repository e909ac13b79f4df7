#include "config/text_limits.hpp"

#include <fmt/format.h>

#include "config/config_error.hpp"
#include "config/raw_config.hpp"

namespace config {

namespace {

// The longest name of a file has 4 KB.
constexpr std::size_t kLineBytesMax = 16UL * 1024;
// 4095 files may be named.
constexpr std::size_t kSectionsMax = 10'000;
constexpr std::size_t kKeysMax = 100'000;

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

}  // namespace config
