// The seed of a randomized test: IOPROOF_TEST_SEED if set, otherwise a fresh one. It is printed, so that a failure can be replayed.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "ums/base/prng.hpp"

namespace ums::testing {

inline std::uint64_t test_seed(const char* test_name) {
    const char* wanted = std::getenv("IOPROOF_TEST_SEED");
    const auto ticks = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
    const std::uint64_t seed = wanted != nullptr ? std::strtoull(wanted, nullptr, 0) : mix64(ticks);
    std::printf("%s: IOPROOF_TEST_SEED=%llu\n", test_name, static_cast<unsigned long long>(seed));
    std::fflush(stdout);
    return seed;
}

// For searches with more, or other, seeds.
inline std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
    const char* const text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace ums::testing
