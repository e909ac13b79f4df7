#include "cli/byte_size.hpp"

#include <charconv>
#include <limits>

namespace cli {

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

}  // namespace cli
