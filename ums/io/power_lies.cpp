#include "ums/io/power_lies.hpp"

#include <array>
#include <cstddef>

namespace ums {

std::string_view name_of(PowerLie lie) {
    static constexpr std::array<std::string_view, kPowerLieCount> kNames = {"flush_ignored", "fua_ignored", "one_file_ignored",
                                                                            "overtaking",    "rolled_back", "write_hole"};
    return kNames.at(static_cast<std::size_t>(lie));
}

std::optional<PowerLie> power_lie_of(std::string_view name) {
    for (std::uint32_t i = 0; i < kPowerLieCount; ++i) {
        const auto lie = static_cast<PowerLie>(i);
        if (name_of(lie) == name) return lie;
    }
    return std::nullopt;
}

}  // namespace ums
