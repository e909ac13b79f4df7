// Which kernel this is: some of what it reports about a device is right only from a certain version on.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace ums {

struct KernelVersion {
    std::uint32_t major = 0;  // 0.0 = not known
    std::uint32_t minor = 0;

    friend constexpr auto operator<=>(const KernelVersion&, const KernelVersion&) = default;
};

[[nodiscard]] KernelVersion kernel_version();

// For people: "dbhost: Linux 6.1.0-18-amd64, x86_64". Empty if it is not known.
[[nodiscard]] std::string system_text();

}  // namespace ums
