// Points in time as text for people: date and time of day, in UTC or in the machine's time zone.
#pragma once

#include <cstdint>
#include <ctime>

namespace ums {

struct CalendarTime {
    std::tm fields{};                 // as std::strftime takes it
    std::int64_t ahead_of_utc_s = 0;  // negative to the west
};

// `utc_us`: microseconds since 1970, as from Clock::utc_us(). Any thread.
[[nodiscard]] CalendarTime utc_calendar(std::uint64_t utc_us);
[[nodiscard]] CalendarTime local_calendar(std::uint64_t utc_us);

// Reads the machine's time zone (TZ) again. Only while no other thread asks for local time.
void read_time_zone();

}  // namespace ums
