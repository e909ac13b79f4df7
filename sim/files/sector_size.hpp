// The sector size of which unbuffered transfers of a file must be multiples. It is found by trying, because containers may not see what the
// system says about the disk, and file systems and encryption may have larger sectors.
#pragma once

#include <cstdint>
#include <string>

#include "ums/io/storage.hpp"

namespace sim {

// kSectorBytes, or 4096 if shorter transfers are refused. Found by trying. `file`: opened for unbuffered transfers. Blocks.
[[nodiscard]] std::uint32_t sector_bytes_of(ums::Storage& storage, ums::FileHandle file);

// Throws EnvironmentError: the file's requests are not in complete sectors.
[[noreturn]] void refuse_parts_of_sectors(const std::string& path, std::uint32_t sector_bytes);

}  // namespace sim
