#include "ums/io/cut_choice.hpp"

#include <algorithm>
#include <array>

#include "ums/base/prng.hpp"

namespace ums {

std::string_view name_of(CutMix mix) {
    static constexpr std::array<std::string_view, kCutMixCount> kNames = {"mostly_lost", "mostly_kept", "by_request",
                                                                          "by_unit",     "by_file",     "by_time"};
    return kNames.at(static_cast<std::size_t>(mix));
}

CutChoice::CutChoice(std::uint64_t seed, std::uint64_t newest_change, bool loses_all) : seed_(mix64(seed)), mix_{}, loses_all_(loses_all) {
    Prng prng(seed);
    mix_ = static_cast<CutMix>(prng.below(kCutMixCount));
    const std::uint64_t few = prng.below(2);
    kept_in_16_ = mix_ == CutMix::mostly_kept ? 16 - few : few;
    // Usually a moment ago: older data is on the medium anyway.
    const std::uint64_t missed = prng.below(std::uint64_t{1} << prng.between(0, 12));
    last_kept_ = newest_change - std::min(newest_change, missed);
}

bool CutChoice::keeps(std::uint64_t file_id, std::uint64_t change, std::uint64_t unit) const {
    if (loses_all_) return false;
    const std::uint64_t by_change = mix64(seed_ ^ change);
    switch (mix_) {
        case CutMix::mostly_lost:
        case CutMix::mostly_kept: return mix64(by_change ^ unit) % 16 < kept_in_16_;
        case CutMix::by_request: return by_change % 2 == 0;
        case CutMix::by_unit: return mix64(by_change ^ unit) % 2 == 0;
        case CutMix::by_file: return mix64(seed_ ^ mix64(file_id)) % 2 == 0;
        case CutMix::by_time: return change <= last_kept_;
    }
    return false;
}

}  // namespace ums
