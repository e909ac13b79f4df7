// The block device and the file system's view of a test file, for the results.
#pragma once

#include <cstdint>
#include <string>

#include "sim/results.hpp"

namespace sim {

// Facts and counters now; the counters are since the machine started.
[[nodiscard]] DriveFacts read_drive_facts(const std::string& path);

// The same with counters since `before` was read, `elapsed_ms` ago.
[[nodiscard]] DriveFacts drive_facts_since(const DriveFacts& before, std::uint64_t elapsed_ms, const std::string& path);

// Fills in compression, encryption and sparseness.
void read_attributes(const std::string& path, FileResult& result);

}  // namespace sim
