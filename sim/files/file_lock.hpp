// Locking a test file against other runs. Blocks.
#pragma once

#include <string>

#include "ums/io/storage.hpp"

namespace sim {

// `file` has just been opened or created as `path`. Throws EnvironmentError if another run was faster: it has locked the file, or has
// deleted or replaced it. `is_created`: the start removes the file if it fails; cleared if the file is now that of another run.
void lock_file(ums::Storage& storage, const std::string& path, ums::FileHandle file, bool& is_created);

// For a file whose pages are only read and verified: while another run writes it, they change behind the reader's back, which would look
// like a fault of the storage. Several readers may have it at a time. Throws EnvironmentError if another run has locked it. A file system
// without locks is accepted: it need not be one that is written.
void lock_file_for_verification(ums::Storage& storage, const std::string& path, ums::FileHandle file);

// On SMB a lock keeps every other handle off, even those of the process that holds it. Throws EnvironmentError if that is so for `file`,
// which has been opened for transfers.
void check_passage(ums::Storage& storage, const std::string& path, ums::FileHandle file);

}  // namespace sim
