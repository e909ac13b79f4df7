// Which file is the replica of which: "name.mdx:stream", sparse, is the snapshot of "name.mdx", as in SQLIOSim's configuration.
#pragma once

#include <vector>

#include "sim/options.hpp"

namespace sim {

// The data file of which `file` is the replica, or null. Pure.
[[nodiscard]] const FileOptions* source_of_replica(const FileOptions& file, const std::vector<FileOptions>& files);

// The file's contents are of no use once the run is over: a replica, or a file of tempdb. It is recreated each time, its changes are not
// logged, and nothing is promised for it.
[[nodiscard]] bool is_transient(const FileOptions& file, const std::vector<FileOptions>& files);

// A replica may become as large as its source.
void fit_replicas(std::vector<FileOptions>& files);

}  // namespace sim
