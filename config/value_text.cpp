#include "config/value_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

#include "config/parameter_table.hpp"
#include "ums/base/assert.hpp"

namespace config {

namespace {

using Problem = std::optional<std::string>;

constexpr std::uint64_t kHundredths = 100;  // of a percent
constexpr std::uint64_t kFullPercent = 100;

constexpr std::array<std::string_view, 4> kTrueSpellings = {"TRUE", "1", "YES", "ON"};
constexpr std::array<std::string_view, 4> kFalseSpellings = {"FALSE", "0", "NO", "OFF"};

// A number as written: sign and magnitude, wide enough for every field.
struct WholeNumber {
    bool negative = false;
    std::uint64_t magnitude = 0;
};

Problem parse_whole(std::string_view text, bool hexadecimal_allowed, WholeNumber& number) {
    std::string_view digits = text;
    number.negative = digits.starts_with('-');
    if (number.negative || digits.starts_with('+')) digits.remove_prefix(1);
    const bool hexadecimal = hexadecimal_allowed && (digits.starts_with("0x") || digits.starts_with("0X"));
    if (hexadecimal) digits.remove_prefix(2);
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, number.magnitude, hexadecimal ? 16 : 10);
    if (error == std::errc::invalid_argument || stop != end) {
        const bool comment = text.find_first_of(";#") != std::string_view::npos;
        return comment ? "is not a whole number (a comment needs a line of its own)" : "is not a whole number";
    }
    if (error == std::errc::result_out_of_range) return number.negative ? "is too small" : "is too large";
    if (number.magnitude == 0) number.negative = false;  // -0
    return std::nullopt;
}

Problem check_range(const Range& range, WholeNumber number) {
    if (!number.negative && number.magnitude == 0 && range.or_zero) return std::nullopt;
    if (!range.only.empty()) {
        const bool listed = !number.negative && std::find(range.only.begin(), range.only.end(), number.magnitude) != range.only.end();
        return listed ? Problem{} : Problem{"is not one of these"};
    }
    if (number.negative) {
        const bool in_range = range.min < 0 && number.magnitude <= static_cast<std::uint64_t>(-range.min);
        return in_range ? Problem{} : Problem{"is too small"};
    }
    if (range.min > 0 && number.magnitude < static_cast<std::uint64_t>(range.min)) return "is too small";
    if (number.magnitude > range.max) return "is too large";
    return std::nullopt;
}

// The table must not allow what a field cannot hold.
void assign(Field field, WholeNumber number) {
    std::visit(
        [number](auto* target) {
            using Value = std::remove_pointer_t<decltype(target)>;
            if constexpr (!std::is_integral_v<Value> || std::is_same_v<Value, bool>) {
                UMS_ASSERT(false);
            } else {
                UMS_ASSERT(number.magnitude <= static_cast<std::uint64_t>(std::numeric_limits<Value>::max()));
                UMS_ASSERT(!number.negative || std::is_signed_v<Value>);
                const Value magnitude = static_cast<Value>(number.magnitude);
                *target = number.negative ? static_cast<Value>(Value{0} - magnitude) : magnitude;
            }
        },
        field);
}

Problem store_number(const Parameter& parameter, const RawValue& value, Field field) {
    const bool mask = parameter.kind == Kind::mask;
    const bool type_fits = value.type == RawType::untyped || value.type == RawType::integer || (mask && value.type == RawType::string);
    if (value.type == RawType::string && !type_fits) return "is a string, not a whole number: leave out the quotes";
    if (!type_fits) return "is not a whole number";
    WholeNumber number;
    if (Problem problem = parse_whole(value.text, mask, number)) return problem;
    if (Problem problem = check_range(parameter.range, number)) return problem;
    assign(field, number);
    return std::nullopt;
}

Problem store_percent(const Parameter& parameter, const RawValue& value, Field field) {
    if (value.type == RawType::integer) {
        WholeNumber number;
        if (Problem problem = parse_whole(value.text, false, number)) return problem;
        if (number.magnitude > kFullPercent) return number.negative ? "is too small" : "is too large";
        number.magnitude *= kHundredths;
        if (Problem problem = check_range(parameter.range, number)) return problem;
        assign(field, number);
        return std::nullopt;
    }
    if (value.type == RawType::string) return "is a string, not a number: leave out the quotes";
    if (value.type != RawType::floating || !std::isfinite(value.number)) return "is not a number";
    if (value.number < 0) return "is too small";
    if (value.number > static_cast<double>(kFullPercent)) return "is too large";
    const double hundredths = value.number * static_cast<double>(kHundredths);
    const double nearest = std::round(hundredths);
    // Two decimals are not exact in binary: the product is off by a few units in the last place, which is less than this.
    if (std::abs(hundredths - nearest) > 1e-9) return "has more than two decimals";
    const WholeNumber number{false, static_cast<std::uint64_t>(nearest)};
    if (Problem problem = check_range(parameter.range, number)) return problem;
    assign(field, number);
    return std::nullopt;
}

Problem store_flag(const RawValue& value, Field field) {
    if (value.type == RawType::string) return "is a string, not a boolean: leave out the quotes";
    if (value.type != RawType::untyped && value.type != RawType::boolean) return "is not a boolean";
    for (const bool flag : {true, false}) {
        for (const std::string_view spelling : flag ? kTrueSpellings : kFalseSpellings) {
            if (!equal_ignoring_case(value.text, spelling)) continue;
            *std::get<bool*>(field) = flag;
            return std::nullopt;
        }
    }
    return "is not a boolean";
}

Problem store_text(const Parameter& parameter, const RawValue& value, Field field) {
    if (value.type != RawType::untyped && value.type != RawType::string) return "is not a string in quotes";
    if (value.text.empty() && !parameter.may_be_empty) return "is empty";
    if (value.text.find('\0') != std::string::npos) return "contains a zero byte";
    *std::get<std::string*>(field) = value.text;
    return std::nullopt;
}

Problem store_choice(const Parameter& parameter, const RawValue& value, Field field) {
    if (value.type != RawType::untyped && value.type != RawType::string) return "is not a string in quotes";
    for (std::size_t i = 0; i < parameter.choices.size(); ++i) {
        if (!equal_ignoring_case(value.text, parameter.choices[i])) continue;
        *std::get<sim::Durability*>(field) = static_cast<sim::Durability>(i);
        return std::nullopt;
    }
    return "is none of these words";
}

std::uint64_t unsigned_value(Field field) {
    return std::visit(
        [](auto* source) -> std::uint64_t {
            if constexpr (std::is_same_v<decltype(source), std::string*>) {
                UMS_ASSERT(false);
            } else {
                return static_cast<std::uint64_t>(*source);
            }
        },
        field);
}

std::string number_text(Field field) {
    if (const auto* number = std::get_if<std::int32_t*>(&field)) return fmt::format("{}", **number);
    return fmt::format("{}", unsigned_value(field));
}

std::string percent_text(std::uint64_t hundredths) {
    const std::uint64_t rest = hundredths % kHundredths;
    if (rest % 10 == 0) return fmt::format("{}.{}", hundredths / kHundredths, rest / 10);
    return fmt::format("{}.{:02}", hundredths / kHundredths, rest);
}

std::string mask_text(std::uint64_t mask, Dialect dialect) {
    if (dialect == Dialect::ini) return fmt::format("{}", mask);
    const bool fits = mask <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return fits ? fmt::format("0x{:X}", mask) : fmt::format("\"0x{:X}\"", mask);
}

std::string bounds_text(const Range& range) {
    std::string list;
    for (const std::uint64_t value : range.only) list += fmt::format("{}{}", list.empty() ? "" : " or ", value);
    return !list.empty() ? list : fmt::format("{}{} to {}", range.or_zero ? "0, or " : "", range.min, range.max);
}

}  // namespace

std::optional<std::string> store_value(const Parameter& parameter, Dialect dialect, const RawValue& value, Field field) {
    switch (parameter.kind) {
        case Kind::flag: return store_flag(value, field);
        case Kind::count:
        case Kind::mask: return store_number(parameter, value, field);
        case Kind::ratio: return dialect == Dialect::toml ? store_percent(parameter, value, field) : store_number(parameter, value, field);
        case Kind::text: return store_text(parameter, value, field);
        case Kind::choice: return store_choice(parameter, value, field);
    }
    UMS_ASSERT(false);
}

std::string value_text(const Parameter& parameter, Dialect dialect, Field field) {
    switch (parameter.kind) {
        case Kind::flag: {
            const bool flag = *std::get<bool*>(field);
            return dialect == Dialect::ini ? (flag ? "TRUE" : "FALSE") : (flag ? "true" : "false");
        }
        case Kind::count: return number_text(field);
        case Kind::mask: return mask_text(unsigned_value(field), dialect);
        case Kind::ratio: return dialect == Dialect::ini ? number_text(field) : percent_text(unsigned_value(field));
        case Kind::text: {
            const std::string& text = *std::get<std::string*>(field);
            return dialect == Dialect::ini ? text : quoted_for_toml(text);
        }
        case Kind::choice: {
            const std::string_view word = parameter.choices.at(static_cast<std::size_t>(*std::get<sim::Durability*>(field)));
            return dialect == Dialect::ini ? std::string(word) : quoted_for_toml(word);
        }
    }
    UMS_ASSERT(false);
}

std::string default_text(const Parameter& parameter, Dialect dialect) {
    if (parameter.required) return {};
    sim::Options defaults;
    defaults.files.resize(1);
    return value_text(parameter, dialect, field_of(parameter, defaults, 0));
}

std::string_view unit_text(const Parameter& parameter, Dialect dialect) {
    if (parameter.kind != Kind::ratio) return parameter.unit;
    return dialect == Dialect::ini ? "hundredths of a percent" : "percent";
}

std::string allowed_text(const Parameter& parameter, Dialect dialect) {
    switch (parameter.kind) {
        case Kind::flag: return dialect == Dialect::ini ? "TRUE or FALSE" : "true or false";
        case Kind::text: return dialect == Dialect::ini ? "a text" : "a string in quotes";
        case Kind::choice: return fmt::format("{}", fmt::join(parameter.choices, ", "));
        case Kind::mask: return "a mask of 64 bits, decimal or hexadecimal (0x...)";
        case Kind::ratio:
            return dialect == Dialect::ini ? fmt::format("{} (hundredths of a percent, 10000 = 100 %)", bounds_text(parameter.range))
                                           : "0.0 to 100.0 percent, at most two decimals";
        case Kind::count: return fmt::format("{}{}{}", bounds_text(parameter.range), parameter.unit.empty() ? "" : " ", parameter.unit);
    }
    UMS_ASSERT(false);
}

std::string quoted_for_toml(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < 0x20 || byte == 0x7F) {
            out += fmt::format("\\u{:04X}", byte);
        } else {
            out += c;
        }
    }
    return out + '"';
}

}  // namespace config
