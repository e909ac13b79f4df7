#include "cli/diskspd/diskspd_numbers.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace cli {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string_view skip_blanks(std::string_view text) { return text.substr(std::min(text.find_first_not_of(" \t\n\v\f\r"), text.size())); }

std::int64_t lenient_number(std::string_view text) {
    constexpr std::int64_t kNumberMax = std::int64_t{1} << 62;
    text = skip_blanks(text);
    const bool is_negative = text.starts_with('-');
    if (is_negative || text.starts_with('+')) text.remove_prefix(1);
    std::int64_t value = 0;
    for (const char c : text) {
        if (!is_digit(c)) break;
        value = value > kNumberMax / 10 - 1 ? kNumberMax : value * 10 + (c - '0');
    }
    return is_negative ? -value : value;
}

std::optional<DiskspdSizeWord> leading_size(std::string_view text, std::uint64_t block_bytes) {
    if (text.empty() || !is_digit(text.front())) return std::nullopt;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) return DiskspdSizeWord{.bytes = value, .rest = text};
    constexpr std::string_view kUnits = "KMGT";
    const char unit = text.front() >= 'a' && text.front() <= 'z' ? static_cast<char>(text.front() - 'a' + 'A') : text.front();
    std::uint64_t factor = 1;
    if (unit == 'B') {
        factor = block_bytes;
    } else if (const std::size_t power = kUnits.find(unit); power != std::string_view::npos) {
        factor = std::uint64_t{1} << 10 * (power + 1);
    } else {
        return DiskspdSizeWord{.bytes = value, .rest = text};
    }
    if (factor != 0 && value > std::numeric_limits<std::uint64_t>::max() / factor) return std::nullopt;
    return DiskspdSizeWord{.bytes = value * factor, .rest = text.substr(1)};
}

std::optional<std::uint64_t> whole_size(std::string_view text, std::uint64_t block_bytes) {
    const auto size = leading_size(text, block_bytes);
    if (!size || !size->rest.empty()) return std::nullopt;
    return size->bytes;
}

}  // namespace cli
