#include "ums/base/clock.hpp"

#include <chrono>
#include <thread>

#include "tests/support/catch.hpp"
#include "ums/base/units.hpp"

namespace ums {
namespace {

TEST_CASE("the real clock advances by itself and never runs backwards") {
    const RealClock clock;
    CHECK(clock.is_real());
    std::uint64_t last = clock.now_ns();
    for (int i = 0; i < 10'000; ++i) {
        const std::uint64_t now = clock.now_ns();
        REQUIRE(now >= last);
        last = now;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    CHECK(clock.now_ns() - last >= 5 * kNsPerMs);
}

TEST_CASE("the real clock's utc_us is the time of day in microseconds") {
    const RealClock clock;
    const auto seconds = static_cast<std::uint64_t>(std::time(nullptr));
    CHECK(clock.utc_us() / 1'000'000 >= seconds);
    CHECK(clock.utc_us() / 1'000'000 <= seconds + 10);
}

TEST_CASE("a virtual clock stands still until it is advanced, and never goes back") {
    VirtualClock clock(1'000'000);
    CHECK_FALSE(clock.is_real());
    const std::uint64_t start = clock.now_ns();
    CHECK(start > 0);  // 0 means "not known" in a request's times
    CHECK(clock.now_ns() == start);
    clock.advance_to(start + 5 * kNsPerMs);
    CHECK(clock.now_ns() == start + 5 * kNsPerMs);
    clock.advance_to(start);
    CHECK(clock.now_ns() == start + 5 * kNsPerMs);
    CHECK(clock.utc_us() == 1'005'000);
}

}  // namespace
}  // namespace ums
