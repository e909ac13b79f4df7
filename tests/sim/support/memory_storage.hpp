// The product's storage in memory, with a disk for tests.
#pragma once

#include <cstdint>

#include "ums/base/prng.hpp"
#include "ums/io/simulated_storage.hpp"

namespace sim::testing {

using DiskModel = ums::DiskModel;
using MemoryFile = ums::SimulatedFile;
using MemoryStorage = ums::SimulatedStorage;

// Every request takes between `min_us` and `max_us`, chosen by the seed.
inline DiskModel random_disk(std::uint64_t seed, std::uint64_t min_us, std::uint64_t max_us) {
    return [prng = ums::Prng(seed), min_us, max_us](const ums::IoRequest&, std::uint32_t) mutable {
        return prng.between(min_us, max_us) * ums::kNsPerUs;
    };
}

}  // namespace sim::testing
