// Whether a request of a measurement was answered correctly.
#pragma once

#include "sim/bench/measure_files.hpp"
#include "sim/journal/journal.hpp"
#include "sim/journal/run_state.hpp"
#include "ums/io/io_request.hpp"

namespace sim {

// True if what came back is what was requested. Otherwise this is reported, and the measurement ends, because its figures would be about
// something else. Requests that came late, or in parts, are reported, too, and the measurement continues.
[[nodiscard]] bool is_answered(const MeasureFile& file, const ums::IoRequest& request, RunState& run, Journal& journal);

}  // namespace sim
