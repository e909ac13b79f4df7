// Which part of the process's memory is resident.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <vector>

#include "tests/support/catch.hpp"

namespace ums::testing {

// `data` must begin at a page boundary of the system.
inline std::size_t resident_bytes(const std::byte* data, std::size_t size_bytes) {
    constexpr std::size_t kSystemPageBytes = 4096;
    std::vector<unsigned char> pages(size_bytes / kSystemPageBytes);
    REQUIRE(mincore(const_cast<std::byte*>(data), size_bytes, pages.data()) == 0);
    std::size_t count = 0;
    for (const unsigned char page : pages) count += page & 1;
    return count * kSystemPageBytes;
}

}  // namespace ums::testing
