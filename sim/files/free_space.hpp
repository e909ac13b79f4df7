// The message when there is no space: which file system it is, and how much is free there.
#pragma once

#include <string>

#include "ums/io/storage.hpp"

namespace sim {

// "The file system /mnt/data (ext4) has 0 MB free." Less if less is known. Asks the system; any thread.
[[nodiscard]] std::string free_space_text(ums::Storage& storage, const std::string& path);

}  // namespace sim
