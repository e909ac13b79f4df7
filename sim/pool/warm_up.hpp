// Prepares the memory of a buffer pool before it is needed.
#pragma once

#include "sim/journal/run_state.hpp"
#include "sim/pool/buffer_pool.hpp"
#include "ums/sched/scheduler_group.hpp"
#include "ums/sched/task.hpp"

namespace sim {

// All schedulers together make the system allocate the pool's memory: when a page is touched for the first time, the system clears up to 2
// MB, and the host of a virtual machine may have to find that memory first; a scheduler that waits for this notices completions late. Then
// the memory is registered with each engine. The pool must outlive every transfer of the group.
//
// Takes at most 5 s, and ends when the run stops; memory that is not ready by then is allocated when it is touched. With a virtual clock
// nothing is late, so the memory is left untouched.
ums::Task<void> warm_up(ums::SchedulerGroup& schedulers, const BufferPool& pool, const RunState& run);

}  // namespace sim
