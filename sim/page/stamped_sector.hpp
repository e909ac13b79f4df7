// Sectors that identify themselves, for measurements whose blocks are not complete pages, such as those of a log. 512 bytes, little-endian:
//
//   0   4  magic "IOPS"
//   4   4  version: counts the writes of this sector in this measurement, from 1
//   8   8  run
//  16   8  number of the sector in the file
//  24   4  file
//  28   4  0
//  32      noise that follows from run, file, number and version
//
// All bytes follow from these four fields, so a sector that came back is right if it is what it says, and says what is expected.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/limits.hpp"

namespace sim {

inline constexpr std::uint32_t kStampedSectorMagic = 0x53504f49;  // "IOPS"

struct SectorIdentity {
    std::uint64_t run_id = 0;
    std::uint64_t number = 0;
    std::uint32_t file_id = 0;
    std::uint32_t version = 0;
};

// Writes kSectorBytes to `sector` (8-aligned).
void make_stamped_sector(const SectorIdentity& identity, std::byte* sector);

// What the sector says; `is_ours`: by its magic; `is_sound`: all of its bytes follow from its identity.
struct StampedSector {
    SectorIdentity identity;
    bool is_ours = false;
    bool is_sound = false;
};
// `sector`: kSectorBytes, of any origin, 8-aligned.
[[nodiscard]] StampedSector read_stamped_sector(const std::byte* sector);

}  // namespace sim
