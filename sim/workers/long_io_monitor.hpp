// Warns about requests that are still outstanding after 15 seconds, once each; completed ones warn by themselves (SimFile). After two
// minutes a request counts as lost: a finding, and the end of the run.
#pragma once

#include "sim/journal/journal.hpp"
#include "sim/journal/run_state.hpp"
#include "ums/sched/event.hpp"
#include "ums/sched/task.hpp"

namespace sim {

// One task on each scheduler, because only its own thread may look at its requests. Ends when `stop` is set.
ums::Task<void> watch_for_long_io(RunState& run, Journal& journal, ums::Event& stop);

}  // namespace sim
