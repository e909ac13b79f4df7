// Numbers and names as people read them on a terminal. Pure. MB means 1024 * 1024 bytes, as in SQL Server and in `-size`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace reports {

// 1234567 -> "1,234,567".
std::string count_text(std::uint64_t count);

// The nearest whole number, which must not be negative: 1234.5 -> "1,235".
std::string rounded_text(double value);

// "1 page", "1,234 pages".
std::string counted(std::uint64_t count, std::string_view noun);

// About three digits: "512 bytes", "64 KB", "1.5 MB", "128 MB", "2.0 TB".
std::string size_text(std::uint64_t size_bytes);

// "850 us", "3.2 ms", "48 ms", "12.3 s", "5 min 03 s", "2 h 05 min". Fractions are truncated, never rounded up to the next unit.
std::string duration_text(std::uint64_t duration_us);

// As duration_text(), and "850 ns" below 1 us, where fast devices and caches answer.
std::string latency_text(std::uint64_t duration_ns);

// The same of milliseconds.
std::string latency_ms_text(double duration_ms);

// Always five columns, up to 9 days: "01:23" minutes and seconds below 100 minutes, then "2h05m", "12h05", "4d04h".
std::string clock_text(std::uint64_t duration_us);

// A rate in at most five columns, without the "/s": "830", "12.3k", "645k", "1.23M". Negative and non-finite values become 0.
std::string rate_text(double per_second);

// Mebibytes per second: "96.1", from 100 on without a decimal: "925"; 0 if no time has passed.
std::string mb_rate_text(std::uint64_t size_bytes, std::uint64_t duration_us);

// Padded with spaces to `width`; longer texts stay as they are.
std::string pad_left(std::string_view text, std::size_t width);
std::string pad_right(std::string_view text, std::size_t width);

// At most `width` columns, keeping the end, where the name of a file is: "...ata/sqliosim.mdx".
std::string keep_end(std::string_view text, std::size_t width);

// Wrapped at spaces into lines of at most `width` columns, each ending with '\n'; lines after the first begin with `indent` spaces.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

}  // namespace reports
