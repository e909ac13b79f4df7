// Locking a test file against other runs. Blocks.
#pragma once

#include <string>

#include "ums/io/storage.hpp"

namespace sim {

// `file` has just been opened or created as `path`. Throws EnvironmentError if another run was faster: it has locked the file, or has
// deleted or replaced it. `is_created`: the start removes the file if it fails; cleared if the file is now that of another run.
void lock_file(ums::Storage& storage, const std::string& path, ums::FileHandle file, bool& is_created);

// On SMB a lock keeps every other handle off, even those of the process that holds it. Throws EnvironmentError if that is so for `file`,
// which has been opened for transfers.
void check_passage(ums::Storage& storage, const std::string& path, ums::FileHandle file);

}  // namespace sim
