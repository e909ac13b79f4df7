#include "sim/files/sector_size.hpp"

#include <cstddef>
#include <system_error>

#include <fmt/format.h>

#include "sim/errors.hpp"
#include "sim/limits.hpp"
#include "ums/base/memory_region.hpp"

namespace sim {

std::uint32_t sector_bytes_of(ums::Storage& storage, ums::FileHandle file) {
    constexpr std::uint32_t kLargestBytes = 4096;
    const ums::MemoryRegion buffer(kLargestBytes, ums::MemoryKind::plain);
    std::size_t transferred = 0;
    const std::error_code error = storage.read(file, kSectorBytes, buffer.data(), kSectorBytes, transferred);
    return error == std::errc::invalid_argument ? kLargestBytes : kSectorBytes;
}

void refuse_parts_of_sectors(const std::string& path, std::uint32_t sector_bytes) {
    throw EnvironmentError(
        fmt::format("{}: has sectors of {} bytes: blocks, pieces and offsets must be multiples of that, or go through the system's cache.",
                    path, sector_bytes));
}

}  // namespace sim
