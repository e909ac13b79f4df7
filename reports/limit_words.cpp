#include "reports/limit_words.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "reports/text.hpp"

namespace reports {

namespace {

constexpr std::array<std::pair<std::string_view, double>, 3> kUnitsUs{{{"us", 1}, {"ms", 1e3}, {"s", 1e6}}};
// A larger number limits nothing.
constexpr double kLimitMax = 1e15;
constexpr int kTimeDigitsMax = 6;
constexpr std::string_view kInFile = " in ";

// Takes the number off the front of `text`.
std::optional<double> take_number(std::string_view& text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || !std::isfinite(number) || number < 0) return std::nullopt;
    text = limit_trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
    return number;
}

std::string time_text_of(double duration_us, int digits) {
    if (duration_us < 1e3) return fmt::format("{:.{}g} us", duration_us, digits);
    return duration_us < 1e6 ? fmt::format("{:.{}g} ms", duration_us / 1e3, digits) : fmt::format("{:.{}g} s", duration_us / 1e6, digits);
}

}  // namespace

std::string_view limit_trimmed(std::string_view text) {
    constexpr std::string_view kBlanks = " \t";
    const std::size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::vector<std::string_view> limit_expressions(std::string_view text) {
    std::vector<std::string_view> expressions;
    std::size_t last = 0;  // where the last of them begins
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string_view part = limit_trimmed(text.substr(begin, end - begin));
        const bool is_behind_file = !expressions.empty() && expressions.back().find(kInFile) != std::string_view::npos;
        if (is_behind_file && part.find_first_of("<>") == std::string_view::npos) {
            expressions.back() = limit_trimmed(text.substr(last, end - last));
        } else {
            last = begin;
            expressions.push_back(part);
        }
        begin = end + 1;
    }
    return expressions;
}

std::string take_limit_file(std::string_view& text) {
    const std::size_t in = text.find(kInFile);
    if (in == std::string_view::npos) return {};
    std::string file(limit_trimmed(text.substr(in + kInFile.size())));
    text = limit_trimmed(text.substr(0, in));
    return file;
}

std::optional<double> limit_time_us(std::string_view text) {
    const auto number = take_number(text);
    const auto* const unit = std::find_if(kUnitsUs.begin(), kUnitsUs.end(), [&](const auto& each) { return each.first == text; });
    if (!number || unit == kUnitsUs.end() || *number * unit->second > kLimitMax) return std::nullopt;
    return *number * unit->second;
}

std::string limit_time_text(double duration_us, double limit_us) {
    const auto tells_the_same = [&](const std::string& shown) {
        if (shown.find('e') != std::string::npos) return false;  // "1e+03 ms": fewer digits than the number has before its point
        const auto shown_us = limit_time_us(shown);
        return shown_us && (*shown_us > limit_us) == (duration_us > limit_us);
    };
    constexpr double kUsPerMs = 1e3;
    std::string text = latency_ms_text(duration_us / kUsPerMs);
    for (int digits = 3; digits <= kTimeDigitsMax && !tells_the_same(text); ++digits) text = time_text_of(duration_us, digits);
    return text;
}

std::optional<double> limit_number(std::string_view text) {
    const auto number = take_number(text);
    if (!number || !text.empty() || *number > kLimitMax) return std::nullopt;
    return number;
}

}  // namespace reports
