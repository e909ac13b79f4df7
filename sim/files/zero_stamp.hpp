// Writes zeros over a new part of a file, so that it is allocated and known.
#pragma once

#include <cstdint>
#include <system_error>

#include "sim/files/sim_file.hpp"

namespace sim {

// Within the file's size; 1 MB at a time. The caller keeps everybody else off the range.
ums::Task<std::error_code> stamp_zeros(SimFile& file, std::uint64_t begin_bytes, std::uint64_t end_bytes);

}  // namespace sim
