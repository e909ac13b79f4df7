// A request that has been outstanding for too long: a warning after 15 seconds; after two minutes it counts as lost, which is a finding and
// ends the run. It may still come back, but a task that waits for it cannot continue.
#pragma once

#include <cstdint>
#include <functional>

#include "sim/finding.hpp"
#include "sim/journal/journal.hpp"
#include "sim/journal/run_state.hpp"
#include "sim/options.hpp"
#include "ums/io/io_request.hpp"
#include "ums/sched/event.hpp"
#include "ums/sched/task.hpp"

namespace sim {

// Checks a request that is still outstanding, and reports each stage once. `report` takes the finding. On the thread of the request's
// scheduler.
void check_overdue(ums::IoRequest& request, std::uint32_t file_id, const FileOptions& file, RunState& run, Journal& journal,
                   const std::function<void(Finding)>& report);

// Calls `visit` once a second with each request of the running scheduler that has been outstanding for 15 seconds, until `stop` is set. One
// task on each scheduler, because only its own thread may look at its requests. When the process has stood still for a while (SIGSTOP, a
// paused container or virtual machine), it first has a second to collect what has come back.
ums::Task<void> visit_overdue(ums::Event& stop, std::function<void(ums::IoRequest&)> visit);

// One task on each scheduler, because only its own thread may look at its requests. Ends when `stop` is set.
ums::Task<void> watch_for_long_io(RunState& run, Journal& journal, ums::Event& stop);

}  // namespace sim
