// Whether a request of a measurement was answered as it must be.
#pragma once

#include "sim/bench/measure_files.hpp"
#include "sim/journal/journal.hpp"
#include "sim/journal/run_state.hpp"
#include "ums/io/io_request.hpp"

namespace sim {

// What came back is what was asked for. Else it is told, and the measurement ends: its figures would be of something else. Requests that
// came late, or in parts, are told, too, and go on.
[[nodiscard]] bool is_answered(const MeasureFile& file, const ums::IoRequest& request, RunState& run, Journal& journal);

}  // namespace sim
