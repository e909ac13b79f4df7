#include "sim/page/checksum.hpp"

#include <isa-l/crc.h>

#include "ums/base/assert.hpp"

namespace sim {

std::uint32_t crc32c(const std::byte* data, std::size_t size_bytes) {
    UMS_ASSERT(size_bytes <= 0x7fff'ffff);
    // ISA-L wants a pointer to non-const and neither inverts the start nor the result.
    auto* bytes = reinterpret_cast<unsigned char*>(const_cast<std::byte*>(data));
    return ~crc32_iscsi(bytes, static_cast<int>(size_bytes), 0xffff'ffffU);
}

}  // namespace sim
