#include "ums/base/calendar.hpp"

#include <array>
#include <cstdlib>
#include <string>
#include <utility>

#include "tests/support/catch.hpp"

namespace {

// 2024-02-29 23:30:00 UTC.
constexpr std::uint64_t kMomentUs = 1'709'249'400'000'000;

std::string text_of(const std::tm& fields) {
    std::array<char, 32> text{};
    return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &fields)};
}

}  // namespace

TEST_CASE("a moment has its date and time of day in UTC, even on the last day of February") {
    CHECK(text_of(ums::utc_calendar(kMomentUs).fields) == "2024-02-29 23:30:00");
    CHECK(text_of(ums::utc_calendar(kMomentUs + 1'800'000'000).fields) == "2024-03-01 00:00:00");
    CHECK(ums::utc_calendar(kMomentUs).ahead_of_utc_s == 0);
}

TEST_CASE("local time follows TZ, east and west, once TZ has been read") {
    const char* const before = std::getenv("TZ");
    const std::string kept = before != nullptr ? before : "";
    for (const auto& [zone, expected] : {std::pair{"IST-5:30", "2024-03-01 05:00:00"}, {"XYZ3:30", "2024-02-29 20:00:00"}}) {
        ::setenv("TZ", zone, 1);
        ums::read_time_zone();
        const ums::CalendarTime time = ums::local_calendar(kMomentUs);
        CHECK(text_of(time.fields) == expected);
        CHECK(time.ahead_of_utc_s == (zone[0] == 'I' ? 5 * 3600 + 1800 : -(3 * 3600 + 1800)));
    }
    before != nullptr ? ::setenv("TZ", kept.c_str(), 1) : ::unsetenv("TZ");
    ums::read_time_zone();
}
