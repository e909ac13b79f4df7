// Units of size and of time. Inside the program all sizes are bytes in std::uint64_t unless the name says MB: 1024 * 1024 bytes, as in SQL
// Server. All times are nanoseconds or microseconds in std::uint64_t, the unit last in the name.
#pragma once

#include <cstdint>
#include <limits>

namespace ums {

inline constexpr std::uint64_t kMb = std::uint64_t{1} << 20;
// The unit of st_blocks and of sizes in sysfs, whatever the sectors of the device are.
inline constexpr std::uint64_t kStatBlockBytes = 512;

inline constexpr std::uint64_t kNsPerUs = 1'000;
inline constexpr std::uint64_t kNsPerMs = 1'000'000;
inline constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
// A deadline that never comes.
inline constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

// The rate of what was done in `duration_ns`; 0 if that is 0.
[[nodiscard]] constexpr double per_second(std::uint64_t amount, std::uint64_t duration_ns) {
    return duration_ns == 0 ? 0 : static_cast<double>(amount) * 1e9 / static_cast<double>(duration_ns);
}

}  // namespace ums
