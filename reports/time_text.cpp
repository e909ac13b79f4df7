#include "reports/time_text.hpp"

#include <array>
#include <cstdlib>
#include <ctime>

#include <fmt/format.h>

#include "ums/base/calendar.hpp"

namespace reports {

namespace {

std::string formatted(const std::tm& parts, const char* form, std::uint64_t utc_us) {
    std::array<char, 32> text{};
    const std::size_t size = std::strftime(text.data(), text.size(), form, &parts);
    return fmt::format("{}.{:06}", std::string_view(text.data(), size), utc_us % 1'000'000);
}

}  // namespace

std::string utc_iso_text(std::uint64_t utc_us) { return formatted(ums::utc_calendar(utc_us).fields, "%Y-%m-%dT%H:%M:%S", utc_us) + "Z"; }

std::string utc_time_text(std::uint64_t utc_us) { return formatted(ums::utc_calendar(utc_us).fields, "%H:%M:%S", utc_us); }

std::string local_iso_text(std::uint64_t utc_us) {
    const ums::CalendarTime time = ums::local_calendar(utc_us);
    const std::int64_t offset_minutes = std::abs(time.ahead_of_utc_s) / 60;
    return fmt::format("{}{}{:02}:{:02}", formatted(time.fields, "%Y-%m-%dT%H:%M:%S", utc_us), time.ahead_of_utc_s < 0 ? '-' : '+',
                       offset_minutes / 60, offset_minutes % 60);
}

}  // namespace reports
