#include "sim/page/checksum.hpp"

#include <isa-l/crc.h>

#include "ums/base/assert.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace sim {

namespace {

#if defined(__x86_64__)

const bool kHasAvx = __builtin_cpu_supports("avx") != 0;

// ISA-L leaves the upper halves of the vector registers in use.
__attribute__((target("avx"))) void clear_upper_halves() { _mm256_zeroupper(); }

#else

constexpr bool kHasAvx = false;
void clear_upper_halves() {}

#endif

}  // namespace

std::uint32_t crc32c(const std::byte* data, std::size_t size_bytes, std::uint32_t before) {
    UMS_ASSERT(size_bytes <= 0x7fff'ffff);
    // ISA-L wants a pointer to non-const and neither inverts the start nor the result.
    auto* bytes = reinterpret_cast<unsigned char*>(const_cast<std::byte*>(data));
    const std::uint32_t value = ~crc32_iscsi(bytes, static_cast<int>(size_bytes), ~before);
    if (kHasAvx) clear_upper_halves();
    return value;
}

}  // namespace sim
