#include "ums/base/memory_region.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/resident.hpp"
#include "ums/base/units.hpp"

using namespace ums;
using ums::testing::resident_bytes;

TEST_CASE("memory is zero, and allocated when it is touched or populated") {
    const MemoryKind kind = GENERATE(MemoryKind::plain, MemoryKind::huge_pages);
    const MemoryRegion memory(16 * kMb, kind);
    CHECK(resident_bytes(memory.data(), memory.size_bytes()) == 0);
    memory.populate(4 * kMb, 8 * kMb);
    CHECK(resident_bytes(memory.data(), 4 * kMb) == 0);
    CHECK(resident_bytes(memory.data() + 4 * kMb, 8 * kMb) == 8 * kMb);
    CHECK(resident_bytes(memory.data() + 12 * kMb, 4 * kMb) == 0);
    for (std::size_t i = 0; i < memory.size_bytes(); i += 4096) CHECK(memory.data()[i] == std::byte{0});
}
