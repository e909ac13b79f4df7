// Units of size. All sizes inside are bytes in std::uint64_t unless the name says MB: 1024 * 1024 bytes, as in SQL Server.
#pragma once

#include <cstdint>

namespace ums {

inline constexpr std::uint64_t kMb = std::uint64_t{1} << 20;
// The unit of st_blocks and of sizes in sysfs, whatever the sectors of the device are.
inline constexpr std::uint64_t kStatBlockBytes = 512;

}  // namespace ums
