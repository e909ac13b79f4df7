// The counters at the end of a run, as plain data.
#pragma once

#include <cstdint>

#include "sim/files/sim_file.hpp"
#include "sim/results.hpp"
#include "ums/sched/scheduler_group.hpp"

namespace sim {

// Without its samples over time and its drive.
[[nodiscard]] FileResult result_of(const SimFile& file, std::uint32_t target_io_duration_ms);

// Adds the schedulers, and the waits of all of them by type. After the group has stopped.
void add_schedulers(ums::SchedulerGroup& schedulers, Results& results);

}  // namespace sim
