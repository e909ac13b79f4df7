// The lies that a device may tell about durability.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace ums {

enum class PowerLie : std::uint8_t {
    flush_ignored,     // a sync returns success and has made nothing durable
    fua_ignored,       // a durable write returns success and is not durable until a sync
    one_file_ignored,  // both, for one file only; all others are treated honestly
    overtaking,        // a sync orders nothing: what it covered reaches the medium soon afterwards, in any order with later writes
    rolled_back,       // after the cut the entire volume is as it was some time before, consistent in itself
    write_hole,        // writes to one part of the device return success and never reach the medium
};

inline constexpr std::uint32_t kPowerLieCount = 6;

[[nodiscard]] std::string_view name_of(PowerLie lie);
// Nothing if no lie has this name.
[[nodiscard]] std::optional<PowerLie> power_lie_of(std::string_view name);

// The lies in force; none: an honest device.
class PowerLies {
public:
    constexpr PowerLies() = default;
    constexpr PowerLies(std::initializer_list<PowerLie> lies) {
        for (const PowerLie lie : lies) add(lie);
    }

    constexpr void add(PowerLie lie) { bits_ |= bit(lie); }
    [[nodiscard]] constexpr bool has(PowerLie lie) const { return (bits_ & bit(lie)) != 0; }
    [[nodiscard]] constexpr bool is_honest() const { return bits_ == 0; }

private:
    static constexpr std::uint32_t bit(PowerLie lie) { return std::uint32_t{1} << static_cast<std::uint32_t>(lie); }

    std::uint32_t bits_ = 0;
};

}  // namespace ums
