#include "ums/base/clock.hpp"

#include <chrono>

namespace ums {

namespace {
template <typename Unit, typename ClockType>
std::uint64_t count_since_epoch() {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<Unit>(ClockType::now().time_since_epoch()).count());
}
}  // namespace

std::uint64_t RealClock::now_ns() const { return count_since_epoch<std::chrono::nanoseconds, std::chrono::steady_clock>(); }

std::uint64_t RealClock::utc_us() const { return count_since_epoch<std::chrono::microseconds, std::chrono::system_clock>(); }

}  // namespace ums
