#include "sim/page/stamped_sector.hpp"

#include <array>
#include <cstring>

#include "tests/support/catch.hpp"

using namespace sim;

namespace {

struct SectorBytes {
    explicit SectorBytes(const SectorIdentity& identity) { make_stamped_sector(identity, bytes.data()); }
    alignas(8) std::array<std::byte, kSectorBytes> bytes;
};

}  // namespace

TEST_CASE("a stamped sector identifies itself, and any changed bit contradicts it") {
    const SectorIdentity identity{.run_id = 77, .number = 0x1'2345'6789, .file_id = 3, .version = 5};
    SectorBytes sector(identity);
    const StampedSector read = read_stamped_sector(sector.bytes.data());
    CHECK(read.is_ours);
    CHECK(read.is_sound);
    CHECK(read.identity.run_id == identity.run_id);
    CHECK(read.identity.number == identity.number);
    CHECK(read.identity.file_id == identity.file_id);
    CHECK(read.identity.version == identity.version);
    for (std::size_t byte = 0; byte < kSectorBytes; ++byte) {
        sector.bytes.at(byte) ^= std::byte{16};
        CHECK_FALSE(read_stamped_sector(sector.bytes.data()).is_sound);
        sector.bytes.at(byte) ^= std::byte{16};
    }
    CHECK(read_stamped_sector(sector.bytes.data()).is_sound);
}

TEST_CASE("two stamped sectors have no noise in common") {
    const SectorIdentity identity{.run_id = 77, .number = 9, .file_id = 3, .version = 5};
    const SectorBytes sector(identity);
    for (const SectorIdentity& other :
         {SectorIdentity{77, 9, 3, 6}, SectorIdentity{77, 10, 3, 5}, SectorIdentity{78, 9, 3, 5}, SectorIdentity{77, 9, 4, 5}}) {
        const SectorBytes different(other);
        CHECK(std::memcmp(sector.bytes.data() + 32, different.bytes.data() + 32, 8) != 0);
    }
}

TEST_CASE("zeros are not a stamped sector") {
    alignas(8) const std::array<std::byte, kSectorBytes> zeros{};
    CHECK_FALSE(read_stamped_sector(zeros.data()).is_ours);
}
