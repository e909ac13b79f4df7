#include "reports/time_text.hpp"

#include "tests/support/catch.hpp"

TEST_CASE("a written time is read back to the microsecond, and anything else is refused") {
    for (const std::uint64_t utc_us : {std::uint64_t{0}, std::uint64_t{951'827'696'000'001}, std::uint64_t{1'764'000'061'250'000}}) {
        CHECK(reports::utc_us_of(reports::utc_iso_text(utc_us)) == utc_us);
    }
    for (const char* text :
         {"", "2025-11-24T16:01:01Z", "2025-11-24 16:01:01.250000Z", "2025-11-24T16:01:01.250000+", "2025-13-24T16:01:01.250000Z",
          "2025-02-30T16:01:01.250000Z", "2025-11-24T24:01:01.250000Z", "2025-11-2xT16:01:01.250000Z"}) {
        INFO(text);
        CHECK_FALSE(reports::utc_us_of(text));
    }
}
