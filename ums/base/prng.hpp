// Pseudo-random numbers whose sequence depends on the seed alone, on every platform (the standard library's distributions do not
// promise that). Generator: xoshiro256** by Blackman and Vigna; seeding: splitmix64, both public domain algorithms.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "ums/base/assert.hpp"

namespace ums {

// One step of splitmix64: advances `state`, returns a well-mixed value. Also used as a hash of small keys.
constexpr std::uint64_t splitmix64(std::uint64_t& state) {
    state += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

constexpr std::uint64_t mix64(std::uint64_t value) { return splitmix64(value); }

// Not thread-safe: each user owns its own generator, so that its choices do not depend on the others.
class Prng {
public:
    explicit constexpr Prng(std::uint64_t seed) {
        for (auto& word : state_) word = splitmix64(seed);
    }

    constexpr std::uint64_t next() {
        const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
        const std::uint64_t t = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= t;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

    // Uniform in [0, bound). `bound` > 0. Multiply-shift (Lemire); its bias, below 2^-32 for our bounds, does not matter here.
    constexpr std::uint64_t below(std::uint64_t bound) {
        UMS_ASSERT(bound > 0);
        return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
    }

    // Uniform in [low, high], both included.
    constexpr std::uint64_t between(std::uint64_t low, std::uint64_t high) {
        UMS_ASSERT(low <= high);
        return low + below(high - low + 1);
    }

    // True with the given chance in hundredths of a percent, SQLIOSim's unit: 10000 = always, 0 = never.
    constexpr bool chance(std::uint32_t hundredths_of_percent) { return below(10000) < hundredths_of_percent; }

private:
    std::array<std::uint64_t, 4> state_{};
};

}  // namespace ums
