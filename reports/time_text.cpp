#include "reports/time_text.hpp"

#include <array>
#include <chrono>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "ums/base/calendar.hpp"

namespace reports {

namespace {

std::string formatted(const std::tm& parts, const char* form, std::uint64_t utc_us) {
    return fmt::format("{}.{:06}", calendar_text(parts, form), utc_us % 1'000'000);
}

// The `count` digits from `begin`; nothing if one of them is not a digit.
std::optional<std::uint32_t> digits(std::string_view text, std::size_t begin, std::size_t count) {
    std::uint32_t value = 0;
    for (const char digit : text.substr(begin, count)) {
        if (digit < '0' || digit > '9') return std::nullopt;
        value = value * 10 + static_cast<std::uint32_t>(digit - '0');
    }
    return value;
}

}  // namespace

std::string calendar_text(const std::tm& fields, const char* form) {
    std::array<char, 32> text{};
    return {text.data(), std::strftime(text.data(), text.size(), form, &fields)};
}

std::optional<std::uint64_t> utc_us_of(std::string_view iso) {
    constexpr std::string_view kForm = "0000-00-00T00:00:00.000000Z";
    if (iso.size() != kForm.size()) return std::nullopt;
    for (std::size_t i = 0; i < kForm.size(); ++i) {
        if (kForm[i] != '0' && iso[i] != kForm[i]) return std::nullopt;
    }
    const auto year = digits(iso, 0, 4);
    const auto month = digits(iso, 5, 2);
    const auto day = digits(iso, 8, 2);
    const auto hour = digits(iso, 11, 2);
    const auto minute = digits(iso, 14, 2);
    const auto second = digits(iso, 17, 2);
    const auto us = digits(iso, 20, 6);
    if (!year || !month || !day || !hour || !minute || !second || !us) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)), std::chrono::month(*month), std::chrono::day(*day)};
    if (!date.ok() || *year < 1970 || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
    const auto days = static_cast<std::uint64_t>(std::chrono::sys_days(date).time_since_epoch().count());
    return (((days * 24 + *hour) * 60 + *minute) * 60 + *second) * 1'000'000 + *us;
}

std::string utc_iso_text(std::uint64_t utc_us) { return formatted(ums::utc_calendar(utc_us).fields, "%Y-%m-%dT%H:%M:%S", utc_us) + "Z"; }

std::string utc_time_text(std::uint64_t utc_us) { return formatted(ums::utc_calendar(utc_us).fields, "%H:%M:%S", utc_us); }

std::string local_iso_text(std::uint64_t utc_us) {
    const ums::CalendarTime time = ums::local_calendar(utc_us);
    const std::int64_t offset_minutes = std::abs(time.ahead_of_utc_s) / 60;
    return fmt::format("{}{}{:02}:{:02}", formatted(time.fields, "%Y-%m-%dT%H:%M:%S", utc_us), time.ahead_of_utc_s < 0 ? '-' : '+',
                       offset_minutes / 60, offset_minutes % 60);
}

}  // namespace reports
