// Whether a file without our mark may still be written to, because it holds nothing that anybody could miss.
#pragma once

#include <string>

#include "ums/io/storage.hpp"

namespace cli {

// True for a regular file that holds nothing but holes, zeros, and the bytes 0, 1 … 255 over and over, which is what DiskSpd fills its
// files with: one that was made to be measured (fallocate, truncate, dd if=/dev/zero, fsutil, DiskSpd itself). Reads all of its data to be
// sure, and stops at the first byte that is something else; 16 GB of data at most, a larger file counts as somebody's. Never true for the
// name of a database file, for links, for devices, and for what cannot be read. May block.
[[nodiscard]] bool holds_nothing(ums::Storage& storage, const std::string& path);

}  // namespace cli
