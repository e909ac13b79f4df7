// Which kernel this is: some of what it reports about a device is right only from a certain version on.
#pragma once

#include <compare>
#include <cstdint>

namespace ums {

struct KernelVersion {
    std::uint32_t major = 0;  // 0.0 = not known
    std::uint32_t minor = 0;

    friend constexpr auto operator<=>(const KernelVersion&, const KernelVersion&) = default;
};

[[nodiscard]] KernelVersion kernel_version();

}  // namespace ums
