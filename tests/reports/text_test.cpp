#include "reports/text.hpp"

#include <limits>

#include "tests/support/catch.hpp"

using namespace reports;

TEST_CASE("a figure is shown as the nearest whole number") {
    CHECK(rounded_text(0) == "0");
    CHECK(rounded_text(0.5) == "1");
    CHECK(rounded_text(1234.4) == "1,234");
    CHECK(rounded_text(17'779.6) == "17,780");
}

TEST_CASE("counts have a comma before every three digits") {
    CHECK(count_text(0) == "0");
    CHECK(count_text(999) == "999");
    CHECK(count_text(1'000) == "1,000");
    CHECK(count_text(1'234'567) == "1,234,567");
    CHECK(count_text(std::numeric_limits<std::uint64_t>::max()) == "18,446,744,073,709,551,615");
}

TEST_CASE("sizes are in the largest unit that fits") {
    CHECK(size_text(0) == "0 bytes");
    CHECK(size_text(1023) == "1023 bytes");
    CHECK(size_text(1024) == "1 KB");
    CHECK(size_text(1536) == "1.5 KB");
    CHECK(size_text(128 << 20) == "128 MB");
    CHECK(size_text((128 << 20) + 1) == "128 MB");
    CHECK(size_text((10ULL << 30) + (512 << 20)) == "10.5 GB");
    CHECK(size_text((2ULL << 40) - 1) == "1.9 TB");
    CHECK(size_text(std::numeric_limits<std::uint64_t>::max()) == "16383 PB");
}

TEST_CASE("durations are cut, not rounded up to the next unit") {
    CHECK(duration_text(0) == "0 us");
    CHECK(duration_text(999) == "999 us");
    CHECK(duration_text(3'299) == "3.2 ms");
    CHECK(duration_text(9'999) == "9.9 ms");
    CHECK(duration_text(48'900) == "48 ms");
    CHECK(duration_text(999'999) == "999 ms");
    CHECK(duration_text(1'000'000) == "1.0 s");
    CHECK(duration_text(59'999'999) == "59.9 s");
    CHECK(duration_text(303'000'000) == "5 min 03 s");
    CHECK(duration_text(7'500'000'000) == "2 h 05 min");
}

TEST_CASE("a latency below 1 us is shown in nanoseconds, not as none") {
    CHECK(latency_text(0) == "0 us");
    CHECK(latency_text(1) == "1 ns");
    CHECK(latency_text(999) == "999 ns");
    CHECK(latency_text(1'999) == "1 us");
    CHECK(latency_text(3'299'000) == "3.2 ms");
    CHECK(latency_ms_text(0.0008) == "800 ns");
    CHECK(latency_ms_text(0.138) == "138 us");
    CHECK(latency_ms_text(4.1) == "4.1 ms");
}

TEST_CASE("clock texts have five columns up to nine days") {
    CHECK(clock_text(0) == "00:00");
    CHECK(clock_text(83'999'999) == "01:23");
    CHECK(clock_text(5'999'000'000) == "99:59");
    CHECK(clock_text(6'000'000'000) == "1h40m");
    CHECK(clock_text(35'999'000'000) == "9h59m");
    CHECK(clock_text(36'300'000'000) == "10h05");
    CHECK(clock_text(100ULL * 3'600'000'000) == "4d04h");
}

TEST_CASE("rates never need more than five columns") {
    CHECK(rate_text(0) == "0");
    CHECK(rate_text(-1) == "0");
    CHECK(rate_text(std::numeric_limits<double>::quiet_NaN()) == "0");
    CHECK(rate_text(830.2) == "830");
    CHECK(rate_text(999.6) == "1.0k");
    CHECK(rate_text(12'345) == "12.3k");
    CHECK(rate_text(99'960) == "100k");
    CHECK(rate_text(645'000) == "645k");
    CHECK(rate_text(999'600) == "1.00M");
    for (double rate = 1; rate < 9e6; rate *= 1.01) CHECK(rate_text(rate).size() <= 5);
}

TEST_CASE("MB/s of no time at all is 0") {
    CHECK(mb_rate_text(1 << 20, 0) == "0.0");
    CHECK(mb_rate_text(10 << 20, 500'000) == "20.0");
    CHECK(mb_rate_text(999 << 20, 10'000'000) == "99.9");
    CHECK(mb_rate_text(99'990 << 10, 1'000'000) == "97.6");
    CHECK(mb_rate_text(1000 << 20, 10'000'000) == "100");
    CHECK(mb_rate_text(925 << 20, 1'000'000) == "925");
}

TEST_CASE("padding and shortening count characters, not bytes") {
    CHECK(pad_left("ü", 3) == "  ü");
    CHECK(pad_right("ü", 3) == "ü  ");
    CHECK(pad_left("long", 2) == "long");
    CHECK(keep_end("/data/sqliosim.mdx", 40) == "/data/sqliosim.mdx");
    CHECK(keep_end("/data/sqliosim.mdx", 15) == "...sqliosim.mdx");
    CHECK(keep_end("/ä/ö/ü", 5) == ".../ü");
    CHECK(keep_end("abcdef", 2) == "ef");
}

TEST_CASE("text is wrapped at spaces") {
    CHECK(wrapped("one two three", 20, 2) == "one two three\n");
    CHECK(wrapped("one two three", 8, 2) == "one two\n  three\n");
    CHECK(wrapped("unbreakable words", 4, 2) == "unbreakable\n  words\n");
    CHECK(wrapped("", 8, 2) == "\n");
}
