#include "reports/time_text.hpp"

#include <array>
#include <cstdlib>
#include <ctime>

#include <fmt/format.h>

namespace reports {

namespace {

std::string formatted(const std::tm& parts, const char* form, std::uint64_t utc_us) {
    std::array<char, 32> text{};
    const std::size_t size = std::strftime(text.data(), text.size(), form, &parts);
    return fmt::format("{}.{:06}", std::string_view(text.data(), size), utc_us % 1'000'000);
}

std::tm utc_parts(std::uint64_t utc_us) {
    const auto seconds = static_cast<std::time_t>(utc_us / 1'000'000);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    return parts;
}

}  // namespace

std::string utc_iso_text(std::uint64_t utc_us) { return formatted(utc_parts(utc_us), "%Y-%m-%dT%H:%M:%S", utc_us) + "Z"; }

std::string utc_time_text(std::uint64_t utc_us) { return formatted(utc_parts(utc_us), "%H:%M:%S", utc_us); }

std::string local_iso_text(std::uint64_t utc_us) {
    const auto seconds = static_cast<std::time_t>(utc_us / 1'000'000);
    std::tm parts{};
    ::localtime_r(&seconds, &parts);
    const long offset_minutes = std::labs(parts.tm_gmtoff) / 60;
    return fmt::format("{}{}{:02}:{:02}", formatted(parts, "%Y-%m-%dT%H:%M:%S", utc_us), parts.tm_gmtoff < 0 ? '-' : '+',
                       offset_minutes / 60, offset_minutes % 60);
}

}  // namespace reports
