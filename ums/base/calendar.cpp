#include "ums/base/calendar.hpp"

namespace ums {

namespace {

std::time_t seconds_of(std::uint64_t utc_us) { return static_cast<std::time_t>(utc_us / 1'000'000); }

}  // namespace

CalendarTime utc_calendar(std::uint64_t utc_us) {
    CalendarTime time;
    const std::time_t seconds = seconds_of(utc_us);
    ::gmtime_r(&seconds, &time.fields);
    return time;
}

CalendarTime local_calendar(std::uint64_t utc_us) {
    CalendarTime time;
    const std::time_t seconds = seconds_of(utc_us);
    ::localtime_r(&seconds, &time.fields);
    time.ahead_of_utc_s = time.fields.tm_gmtoff;
    return time;
}

// localtime_r need not read TZ itself.
void read_time_zone() { ::tzset(); }

}  // namespace ums
