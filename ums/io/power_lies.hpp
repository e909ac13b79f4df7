// What a device may say of durability that is not so.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace ums {

enum class PowerLie : std::uint8_t {
    flush_ignored,     // a sync comes back and has made nothing durable
    fua_ignored,       // a durable write comes back and is not durable until a sync
    one_file_ignored,  // both, for one file; other files are treated honestly
    overtaking,        // a sync orders nothing: what it covered gets to the medium soon after by itself, in any order with later writes
    rolled_back,       // after the cut the whole volume is as it was some time before, in itself consistent
    write_hole,        // writes to one part of the device come back and never get to the medium
};

inline constexpr std::uint32_t kPowerLieCount = 6;

[[nodiscard]] std::string_view name_of(PowerLie lie);
// Nothing if no lie has this name.
[[nodiscard]] std::optional<PowerLie> power_lie_of(std::string_view name);

// Those in force; none: an honest device.
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
