// Whether a file without ioproof's signature may still be written to, because it holds nothing that anyone could miss.
#pragma once

#include <string>

#include "ums/io/storage.hpp"

namespace cli {

// True for a regular file that holds nothing but holes, zeros, and the bytes 0, 1 … 255 over and over, with which DiskSpd fills its files:
// such a file was made to be measured (by fallocate, truncate, dd if=/dev/zero, fsutil, or DiskSpd itself). Reads all of its data to be
// sure, and stops at the first other byte. A file with more than 16 GB of data counts as somebody's. Never true for the name of a database
// file, for links, for devices, and for files that cannot be read. May block.
[[nodiscard]] bool holds_nothing(ums::Storage& storage, const std::string& path);

}  // namespace cli
