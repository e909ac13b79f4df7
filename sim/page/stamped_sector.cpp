#include "sim/page/stamped_sector.hpp"

#include <array>
#include <cstring>
#include <type_traits>

#include "sim/page/page_codec.hpp"
#include "ums/base/prng.hpp"

namespace sim {

namespace {

struct SectorHeader {
    std::uint32_t magic;
    std::uint32_t version;
    std::uint64_t run_id;
    std::uint64_t number;
    std::uint32_t file_id;
    std::uint32_t reserved;
};
static_assert(sizeof(SectorHeader) == 32 && std::has_unique_object_representations_v<SectorHeader>);

std::uint64_t sector_seed(const SectorIdentity& identity) {
    const std::uint64_t place = std::uint64_t{identity.file_id} << 32 ^ identity.number;
    return ums::mix64(ums::mix64(identity.run_id + place) + identity.version);
}

}  // namespace

void make_stamped_sector(const SectorIdentity& identity, std::byte* sector) {
    const SectorHeader header{kStampedSectorMagic, identity.version, identity.run_id, identity.number, identity.file_id, 0};
    std::memcpy(sector, &header, sizeof header);
    fill_from_seed(sector_seed(identity), sector + sizeof header, kSectorBytes - sizeof header);
}

StampedSector read_stamped_sector(const std::byte* sector) {
    SectorHeader header{};
    std::memcpy(&header, sector, sizeof header);
    StampedSector result;
    result.is_ours = header.magic == kStampedSectorMagic;
    if (!result.is_ours) return result;
    result.identity = {header.run_id, header.number, header.file_id, header.version};
    alignas(8) std::array<std::byte, kSectorBytes> expected;
    make_stamped_sector(result.identity, expected.data());
    result.is_sound = std::memcmp(sector, expected.data(), kSectorBytes) == 0;
    return result;
}

}  // namespace sim
