// Writes zeros over a new part of a file that is in use, so that it is allocated and known.
#pragma once

#include <cstdint>
#include <system_error>

#include "sim/files/sim_file.hpp"
#include "sim/journal/journal.hpp"
#include "sim/journal/run_state.hpp"

namespace sim {

// Within the file's size; 1 MB at a time. The caller keeps all others off the range. A failure is retried and is a finding as with all
// transfers, unless the volume itself refuses.
ums::Task<std::error_code> stamp_zeros(SimFile& file, RunState& run, Journal& journal, std::uint64_t begin_bytes, std::uint64_t end_bytes);

}  // namespace sim
