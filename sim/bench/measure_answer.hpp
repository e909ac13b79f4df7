// Whether a request of a measurement was answered correctly.
#pragma once

#include "sim/bench/measure_files.hpp"
#include "sim/journal/journal.hpp"
#include "sim/journal/run_state.hpp"
#include "ums/io/io_request.hpp"

namespace sim {

// True if the answer is what was requested. Otherwise reports it and ends the measurement, because its figures would mean something else.
// Requests that came back late, or in parts, are reported, too, but the measurement continues.
[[nodiscard]] bool is_answered(const MeasureFile& file, const ums::IoRequest& request, RunState& run, Journal& journal);

}  // namespace sim
