#include "reports/diskspd/diskspd_size.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>

namespace reports {

std::string diskspd_size(std::uint64_t size_bytes, std::size_t width) {
    struct Unit {
        unsigned bits;
        std::string_view name;
    };
    constexpr std::array kUnits{Unit{40, "TiB"}, Unit{30, "GiB"}, Unit{20, "MiB"}, Unit{10, "KiB"}};
    for (const Unit& unit : kUnits) {
        const std::uint64_t one = std::uint64_t{1} << unit.bits;
        if (size_bytes < one) continue;
        if (size_bytes % one == 0) return fmt::format("{:>{}}{}", size_bytes >> unit.bits, width, unit.name);
        return fmt::format("{:>{}.2f}{}", static_cast<double>(size_bytes) / static_cast<double>(one), width, unit.name);
    }
    return fmt::format("{:>{}}", size_bytes, width);
}

}  // namespace reports
