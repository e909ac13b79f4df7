// Which part of the process's memory is resident.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
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

// Of the entire process.
inline std::uint64_t resident_bytes() {
    std::uint64_t size_pages = 0;
    std::uint64_t resident_pages = 0;
    std::ifstream("/proc/self/statm") >> size_pages >> resident_pages;
    return resident_pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace ums::testing
