// The random choices of one power cut: which changes reach the medium. A pure function of the seed, so the order of the calls does not
// matter.
#pragma once

#include <cstdint>

#include "ums/io/power_cut.hpp"

namespace ums {

class CutChoice {
public:
    // `newest_change`: number of the change that completed last. `loses_all`: nothing reaches the medium, whatever the seed says.
    CutChoice(std::uint64_t seed, std::uint64_t newest_change, bool loses_all);

    [[nodiscard]] CutMix mix() const { return mix_; }
    // Whether this unit of change number `change` to the file reaches the medium.
    [[nodiscard]] bool keeps(std::uint64_t file_id, std::uint64_t change, std::uint64_t unit) const;

private:
    std::uint64_t seed_;
    CutMix mix_;
    std::uint64_t kept_in_16_ = 0;  // mostly_lost, mostly_kept
    std::uint64_t last_kept_ = 0;   // by_time
    bool loses_all_;
};

}  // namespace ums
