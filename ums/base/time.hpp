// Units of time. All times inside are nanoseconds or microseconds in std::uint64_t, the unit last in the name.
#pragma once

#include <cstdint>
#include <limits>

namespace ums {

inline constexpr std::uint64_t kNsPerUs = 1'000;
inline constexpr std::uint64_t kNsPerMs = 1'000'000;
inline constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
// A deadline that never comes.
inline constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

}  // namespace ums
