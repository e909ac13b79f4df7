// Which file is the replica of which: "name.mdx:stream", sparse, is the snapshot of "name.mdx", as SQLIOSim's configuration has it.
#pragma once

#include <vector>

#include "sim/options.hpp"

namespace sim {

// The data file of which `file` is the replica, or null. Pure.
[[nodiscard]] const FileOptions* source_of_replica(const FileOptions& file, const std::vector<FileOptions>& files);

// What the file holds is of no use to anybody once the run is over: a replica, or one of tempdb. It is made anew each time, its changes are
// not logged, and nothing is promised of it.
[[nodiscard]] bool is_transient(const FileOptions& file, const std::vector<FileOptions>& files);

// A replica may become as large as its source.
void fit_replicas(std::vector<FileOptions>& files);

}  // namespace sim
