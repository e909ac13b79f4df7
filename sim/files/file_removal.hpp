// Deleting a test file at the end of a run, or of a start that failed.
#pragma once

#include "sim/files/sim_file.hpp"
#include "sim/journal/journal.hpp"
#include "ums/io/storage.hpp"

namespace sim {

// The file stays open. Another file that has taken its name is left alone; a warning says so, or why the file cannot be deleted. Blocks.
void remove_file(const SimFile& file, ums::Storage& storage, Journal& journal);

}  // namespace sim
