// The log of another run, as space that was not zeroed may hold it: complete blocks with right checksums, in places where blocks of this
// run will be, with higher numbers than this run will use. A reader that takes one of them for its log goes wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sim/options.hpp"
#include "ums/io/simulated_storage.hpp"

namespace sim {

// Fills whole megabytes of [begin_bytes, end_bytes), new space in the log file with this number. The same seed gives the same blocks.
void fill_with_stale_log(ums::SimulatedFile& file, std::uint64_t begin_bytes, std::uint64_t end_bytes, std::uint32_t file_id,
                         std::uint64_t seed);

// What new space in a run's files holds: stale log beyond the initial size of log files, zeros in other files. For VolatileOptions.
[[nodiscard]] std::function<ums::SimulatedFile::NewSpace(const std::string& path)> stale_log_space(const Options& options,
                                                                                                   std::uint64_t seed);

}  // namespace sim
