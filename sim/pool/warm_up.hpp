// Makes the memory of a buffer pool ready before it is needed.
#pragma once

#include "sim/journal/run_state.hpp"
#include "sim/pool/buffer_pool.hpp"
#include "ums/sched/scheduler_group.hpp"
#include "ums/sched/task.hpp"

namespace sim {

// All schedulers together have the system give the pool its memory: when a page is touched for the first time, the system clears up to
// 2 MB, in a virtual machine its host may have to find them first, and a scheduler that waits for that sees late what the device has long
// completed. Then each engine is told of the memory. The pool must outlive every transfer of the group.
//
// Takes 5 s at most, and ends when the run stops; what is not ready by then is given when it is touched. With a virtual clock nothing is
// late, and the memory is left untouched.
ums::Task<void> warm_up(ums::SchedulerGroup& schedulers, const BufferPool& pool, const RunState& run);

}  // namespace sim
