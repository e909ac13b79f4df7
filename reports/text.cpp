#include "reports/text.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "ums/base/text_wrap.hpp"
#include "ums/base/utf8.hpp"

namespace reports {

namespace {

constexpr std::uint64_t kNsPerUs = 1'000;
constexpr std::uint64_t kUsPerMs = 1'000;
constexpr std::uint64_t kUsPerSecond = 1'000'000;

// One decimal, truncated instead of rounded: 9.96 is not "10.0".
std::string tenths(std::uint64_t value, std::uint64_t unit) { return fmt::format("{}.{}", value / unit, value % unit * 10 / unit); }

}  // namespace

std::string count_text(std::uint64_t count) {
    std::string text = std::to_string(count);
    for (std::size_t place = text.size(); place > 3; place -= 3) text.insert(place - 3, 1, ',');
    return text;
}

std::string rounded_text(double value) { return count_text(static_cast<std::uint64_t>(std::llround(value))); }

std::string counted(std::uint64_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count_text(count), noun, count == 1 ? "" : "s");
}

std::string size_text(std::uint64_t size_bytes) {
    static constexpr std::array<const char*, 6> kUnits{"bytes", "KB", "MB", "GB", "TB", "PB"};
    std::uint64_t unit = 1;
    std::size_t index = 0;
    while (size_bytes / unit >= 1024 && index + 1 < kUnits.size()) {
        unit *= 1024;
        ++index;
    }
    if (size_bytes % unit == 0 || size_bytes / unit >= 100) return fmt::format("{} {}", size_bytes / unit, kUnits[index]);
    // Divides first: a tenth of the unit is exact enough and cannot overflow.
    return fmt::format("{}.{} {}", size_bytes / unit, (size_bytes % unit) / (unit / 1024) * 10 / 1024, kUnits[index]);
}

std::string duration_text(std::uint64_t duration_us) {
    const std::uint64_t seconds = duration_us / kUsPerSecond;
    if (duration_us < kUsPerMs) return fmt::format("{} us", duration_us);
    if (duration_us < 10 * kUsPerMs) return tenths(duration_us, kUsPerMs) + " ms";
    if (seconds < 1) return fmt::format("{} ms", duration_us / kUsPerMs);
    if (seconds < 60) return tenths(duration_us, kUsPerSecond) + " s";
    if (seconds < 3600) return fmt::format("{} min {:02} s", seconds / 60, seconds % 60);
    return fmt::format("{} h {:02} min", seconds / 3600, seconds / 60 % 60);
}

std::string latency_text(std::uint64_t duration_ns) {
    if (duration_ns > 0 && duration_ns < kNsPerUs) return fmt::format("{} ns", duration_ns);
    return duration_text(duration_ns / kNsPerUs);
}

std::string latency_ms_text(double duration_ms) {
    constexpr double kNsPerMs = 1e6;
    constexpr double kRoundingNs = 1e-3;  // whole nanoseconds stay whole
    return latency_text(static_cast<std::uint64_t>(duration_ms * kNsPerMs + kRoundingNs));
}

std::string clock_text(std::uint64_t duration_us) {
    const std::uint64_t seconds = duration_us / kUsPerSecond;
    if (seconds < 6000) return fmt::format("{:02}:{:02}", seconds / 60, seconds % 60);
    const std::uint64_t hours = seconds / 3600;
    if (hours >= 100) return fmt::format("{}d{:02}h", hours / 24, hours % 24);
    return fmt::format("{}h{:02}{}", hours, seconds / 60 % 60, hours < 10 ? "m" : "");
}

std::string rate_text(double per_second) {
    if (!std::isfinite(per_second) || per_second <= 0) return "0";
    if (per_second < 999.5) return fmt::format("{:.0f}", per_second);
    if (per_second < 99'950) return fmt::format("{:.1f}k", per_second / 1e3);
    if (per_second < 999'500) return fmt::format("{:.0f}k", per_second / 1e3);
    return fmt::format("{:.2f}M", per_second / 1e6);
}

std::string mb_rate_text(std::uint64_t size_bytes, std::uint64_t duration_us) {
    if (duration_us == 0) return "0.0";
    const double rate = static_cast<double>(size_bytes) / (1024.0 * 1024.0) / (static_cast<double>(duration_us) / 1e6);
    return rate < 99.95 ? fmt::format("{:.1f}", rate) : fmt::format("{:.0f}", rate);
}

std::string pad_left(std::string_view text, std::size_t width) {
    const std::size_t used = ums::display_width(text);
    return std::string(used < width ? width - used : 0, ' ').append(text);
}

std::string pad_right(std::string_view text, std::size_t width) {
    const std::size_t used = ums::display_width(text);
    return std::string(text).append(used < width ? width - used : 0, ' ');
}

std::string keep_end(std::string_view text, std::size_t width) {
    std::size_t excess = ums::display_width(text);
    if (excess <= width) return std::string(text);
    const std::string_view mark = width > 3 ? "..." : "";
    excess -= width - mark.size();
    while (excess > 0) {
        text.remove_prefix(1);
        while (!text.empty() && ums::is_continuation(text.front())) text.remove_prefix(1);
        --excess;
    }
    return std::string(mark).append(text);
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) { return ums::wrap(text, width, "", indent); }

}  // namespace reports
