// Reports what the run waits for when the main run or the entire run is over and requests are still outstanding: a slow disk must not look
// like a hanging program.
#pragma once

#include <cstdint>

#include "sim/context/run_context.hpp"
#include "ums/sched/event.hpp"
#include "ums/sched/scheduler_group.hpp"
#include "ums/sched/task.hpp"

namespace sim {

// Requests outstanding at the storage, on all schedulers. Estimates.
struct OutstandingIo {
    std::uint64_t count = 0;
    std::uint64_t oldest_us = 0;  // how long the oldest has been outstanding
};
// Any thread.
[[nodiscard]] OutstandingIo outstanding_io(ums::SchedulerGroup& schedulers, std::uint64_t now_ns);

// Reports every few seconds while something ends, until `stop` is set.
ums::Task<void> report_outstanding_io(RunContext& context, ums::Event& stop);

}  // namespace sim
