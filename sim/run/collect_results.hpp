// The counters at the end of a run, as plain data.
#pragma once

#include <cstdint>
#include <string>

#include "sim/files/sim_file.hpp"
#include "sim/results.hpp"
#include "ums/sched/scheduler_group.hpp"

namespace sim {

// Without its samples over time and its drive.
[[nodiscard]] FileResult result_of(const SimFile& file, std::uint32_t target_io_duration_ms);

// Adds the schedulers, and the waits of all of them by type. After the group has stopped.
void add_schedulers(ums::SchedulerGroup& schedulers, Results& results);

// The block device and the file system's view of a test file, for the results. Facts and counters at present; the counters began when the
// machine started.
[[nodiscard]] DriveFacts read_drive_facts(const std::string& path);

// The same with counters since `before` was read, `elapsed_ms` ago.
[[nodiscard]] DriveFacts drive_facts_since(const DriveFacts& before, std::uint64_t elapsed_ms, const std::string& path);

// Fills in compression, encryption and sparseness.
void read_attributes(const std::string& path, FileResult& result);

}  // namespace sim
