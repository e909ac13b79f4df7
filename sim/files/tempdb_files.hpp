// The files that TempdbUser works in: tempdb1.mdx and so on, in a folder of their own or beside the first data file. They come last, so
// that the numbers of the others do not depend on them.
#pragma once

#include <string>

#include "sim/options.hpp"

namespace sim {

// Adds them to the files of the options if there are such users and they have not been added yet.
void add_tempdb_files(Options& options);

// Where they are, seen from the current folder.
[[nodiscard]] std::string tempdb_folder(const Options& options);

}  // namespace sim
