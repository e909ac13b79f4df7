// Whole numbers in text, as users and the system write them.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace ums {

// The number in `text`; nothing if there is anything else, such as a sign, a blank or a unit, or if the number does not fit. `base`: of its
// digits, 2 to 36. Pure.
template <typename Number>
[[nodiscard]] std::optional<Number> whole_number(std::string_view text, int base = 10) {
    static_assert(std::is_unsigned_v<Number>);
    Number number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number, base);
    if (error != std::errc{} || stop != end) return std::nullopt;
    return number;
}

}  // namespace ums
