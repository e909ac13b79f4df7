// Points in time as people and programs read them, to the microsecond (ISO 8601).
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

namespace reports {

// In a form of strftime(); at most 31 bytes.
std::string calendar_text(const std::tm& fields, const char* form);

// "2025-11-24T16:01:01.250000Z"
std::string utc_iso_text(std::uint64_t utc_us);
// Parses exactly this form.
std::optional<std::uint64_t> utc_us_of(std::string_view iso);

// In the local time zone, with its offset from UTC: "2025-11-24T17:01:01.250000+01:00"
std::string local_iso_text(std::uint64_t utc_us);

// Time of day in UTC: "16:01:01.250000"
std::string utc_time_text(std::uint64_t utc_us);

}  // namespace reports
